# Grouped bars: a line of data is a group, a column of it a system. plots.py sets data, output_base, labels,
# colours, title, axis, where, log and top; writes output_base.svg and .png.
count = words(colours)
slot = 0.86 / count
name(i) = system("printf '%s' '".labels."' | cut -d '|' -f ".i)
mark(value) = value >= 100 ? sprintf("%.0f", value) : value >= 10 ? sprintf("%.1f", value) : sprintf("%.2f", value)
groups = system("cut -d ' ' -f 1 '".data."'")

set datafile missing "-"
set grid ytics linetype 1 linecolor rgb "#d8d8d8" linewidth 1
set border 3 linecolor rgb "#444444"
set tics nomirror
set style fill solid 1.0 noborder
set boxwidth 0.92 * slot
set key noenhanced below horizontal samplen 1.2 font ",10"
set tmargin 5
set title title."\n{/*0.7 ".where."}"
set ylabel axis
set xtics scale 0 noenhanced font ",10" ()
do for [i = 1:words(groups)] { set xtics add (word(groups, i) i - 1) }
set xrange [-0.6 : words(groups) - 0.4]
if (log) { set logscale y; set yrange [0.1 : real(top)] } else { set yrange [0 : real(top)] }

place(i) = (i - (count + 1) / 2.0) * slot
picture = "plot for [i = 1:count] data using ($0 + place(i)):(column(i + 1)) with boxes " \
          ."linecolor rgb word(colours, i) title name(i), " \
          ."for [i = 1:count] data using ($0 + place(i)):(column(i + 1)):(mark(column(i + 1))) " \
          ."with labels rotate by 90 left offset 0, 0.3 font ',8' notitle"

set terminal svg size 1100, 520 dynamic background rgb "white" font "Helvetica,13"
set output output_base.".svg"
eval picture
set terminal pngcairo size 2200, 1040 fontscale 1.9 linewidth 2 background rgb "white"
set output output_base.".png"
eval picture
