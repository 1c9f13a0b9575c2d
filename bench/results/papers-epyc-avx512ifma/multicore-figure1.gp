set terminal svg size 900,520 font 'sans-serif,13' background 'white'
set output "multicore-figure1.svg"
set encoding utf8
set title "Arithmetic inside the transform, relative to GMP"
set xlabel "points"
set ylabel "ours / GMP"
set datafile missing NaN
set key outside below
set grid ytics linecolor '#dddddd'
set offsets 0.5, 0.5, 0, 0
set format y '%g'
set yrange [0:*]
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.8
set boxwidth 0.9
set xtics noenhanced font ',10'
$data << EOD
"16^2" 0.85 0.1395
"16^3" 0.71 0.143456
"32^2" 0.58 0.098974
"32^3" 0.49 0.114251
"64^2" 0.38 0.0698072
"64^3" 0.31 0.0946066
EOD
plot $data using 2:xtic(1) linecolor rgb '#0072b2' title "published" fillstyle pattern 2, $data using 3:xtic(1) linecolor rgb '#d55e00' title "here"
