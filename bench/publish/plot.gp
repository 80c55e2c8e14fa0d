# Grouped bars from what the benchmark writes with --data: single rows on the left, bulk on the right.
# gnuplot -e "data='x.dat'; output_base='x'" plot.gp writes x.svg and x.png.
where = system("sed -n 's/^# //p' '".data."' | head -n 1")
header = system("grep -v '^#' '".data."' | head -n 1")

# Okabe and Ito's palette: distinct in print and to colour-blind readers.
array colours[9] = ["#D55E00", "#E69F00", "#0072B2", "#56B4E9", "#999999", "#009E73", "#CC79A7", "#000000", \
                    "#B8A000"]

# The lines of a panel, and where among the columns its systems are.
rows(pattern) = "< grep -E '^(".pattern.")' '".data."'"
names(pattern) = system("grep -E '^(".pattern.")' '".data."' | cut -d ' ' -f 1")
single = "1 2 3 4 5"
bulk = "1 6 7 8 9"

slot = 0.86 / 5
label(rate) = rate >= 100 ? sprintf("%.0f", rate) : sprintf("%.1f", rate)

set grid ytics linetype 1 linecolor rgb "#d8d8d8" linewidth 1
set border 3 linecolor rgb "#444444"
set tics nomirror
set style fill solid 1.0 noborder
set boxwidth 0.92 * slot
set yrange [0 : *]
set key noenhanced below horizontal samplen 1.2 font ",10"
set tmargin 5

bars = "rows(lines) using ($0 + (%d - 3) * slot):(column(%d)) with boxes linecolor rgb '%s' title '%s', "
marks = "rows(lines) using ($0 + (%d - 3) * slot):(column(%d)):(label(column(%d))) " \
        ."with labels rotate by 90 left offset 0, 0.3 font ',8' notitle, "
panel = "draw = 'plot '; set xtics scale 0 noenhanced font ',10' (); list = names(lines);" \
        ."set xrange [-0.6 : words(list) - 0.4];" \
        ."do for [i = 1:words(list)] { set xtics add (word(list, i) i - 1) };" \
        ."do for [i = 1:5] { s = int(word(shown, i));" \
        ."draw = draw.sprintf(bars, i, s + 1, colours[s], word(header, s + 1));" \
        ."draw = draw.sprintf(marks, i, s + 1, s + 1) }; eval draw"

both = "set multiplot;" \
       ."set size 0.64, 1; set origin 0, 0; lines = 'loud|quiet'; shown = single;" \
       ."set title \"One event per transaction (higher is better)\\n{/*0.7 ".where."}\";" \
       ."set ylabel 'thousand events per second'; eval panel;" \
       ."set size 0.36, 1; set origin 0.64, 0; lines = 'bulk'; shown = bulk;" \
       ."set title \"In bulk, on 1 and 2 connections\\n{/*0.7  }\"; unset ylabel; eval panel;" \
       ."unset multiplot"

set terminal svg size 1100, 520 dynamic background rgb "white" font "Helvetica,13"
set output output_base.".svg"
eval both
set terminal pngcairo size 2200, 1040 fontscale 1.9 linewidth 2 background rgb "white"
set output output_base.".png"
eval both
