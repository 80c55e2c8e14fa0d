# Grouped bars from what the benchmark writes with --data: a line per workload, a column per system.
# gnuplot -e "data='x.dat'; output_base='x'" plot.gp writes x.svg and x.png.
where = system("sed -n 's/^# //p' '".data."' | head -n 1")
header = system("grep -v '^#' '".data."' | head -n 1")
systems = words(header) - 1
workloads = int(system("grep -vc '^#' '".data."'")) - 1
names = system("grep -v '^#' '".data."' | tail -n +2 | cut -d ' ' -f 1")

# Okabe and Ito's palette: distinct in print and to colour-blind readers.
array colours[4] = ["#D55E00", "#0072B2", "#999999", "#009E73"]

slot = 0.86 / systems
width = 0.92 * slot
at(row, system) = row + (system - (systems + 1) / 2.0) * slot
label(rate) = rate >= 100 ? sprintf("%.0f", rate) : rate >= 10 ? sprintf("%.1f", rate) : \
              sprintf("%.2f", rate)

set title "Payloads of 1 KB by workload (higher is better)\n{/*0.7 ".where."}"
set yrange [0:*]
set ylabel "million payloads per second"
set format y "%g"
set grid ytics mytics linetype 1 linecolor rgb "#d8d8d8" linewidth 1, \
    linetype 1 linecolor rgb "#eeeeee" linewidth 0.5
set border 3 linecolor rgb "#444444"
set tics nomirror
set xtics scale 0 noenhanced font ",10" ()
set key noenhanced vertical right top inside samplen 1.5 width 1
set style fill solid 1.0 noborder
set boxwidth width
set bmargin 3.6
set xrange [-0.6 : workloads - 0.4]

do for [row = 0:workloads - 1] { set xtics add (word(names, row + 1) row) }

bars = "data every ::1 using (at($0, %d)):(column(%d)) " \
       ."with boxes linecolor rgb colours[%d] title '%s'"
rates = "data every ::1 using (at($0, %d)):(column(%d)):(label(column(%d))) " \
        ."with labels offset 0, 0.6 font ',10' notitle"
draw = "plot "
do for [s = 1:systems] {
    draw = draw.sprintf(bars, s, s + 1, (s - 1) % 4 + 1, word(header, s + 1)).", "
    draw = draw.sprintf(rates, s, s + 1, s + 1).", "
}

set terminal svg size 1000, 560 dynamic background rgb "white" font "Helvetica,13"
set output output_base.".svg"
eval draw
set terminal pngcairo size 2000, 1120 fontscale 1.9 linewidth 2 background rgb "white"
set output output_base.".png"
eval draw
