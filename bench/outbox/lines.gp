# Lines: a block of data is a series. plots.py sets data, output_base, labels, colours, dashes, title, axis, x_axis,
# where and log (of x); writes output_base.svg and .png.
count = words(colours)
name(i) = system("printf '%s' '".labels."' | cut -d '|' -f ".i)

set grid ytics linetype 1 linecolor rgb "#d8d8d8" linewidth 1
set border 3 linecolor rgb "#444444"
set tics nomirror
set key noenhanced below horizontal samplen 3 font ",10"
set tmargin 5
set bmargin 7
set title title."\n{/*0.7 ".where."}"
set ylabel axis
set xlabel x_axis
set yrange [0 : *]
if (log) { set logscale x; set format x "%.0s%c"; set offsets graph 0.05, graph 0.05, 0, 0 }

picture = "plot for [i = 1:count] data index i - 1 using 1:2 with linespoints linewidth 2 pointtype 7 pointsize (log ? 1 : 0.3) " \
          ."dashtype int(word(dashes, i)) linecolor rgb word(colours, i) title name(i)"

set terminal svg size 1100, 520 dynamic background rgb "white" font "Helvetica,13"
set output output_base.".svg"
eval picture
set terminal pngcairo size 2200, 1040 fontscale 1.9 linewidth 2 background rgb "white"
set output output_base.".png"
eval picture
