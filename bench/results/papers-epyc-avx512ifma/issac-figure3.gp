set terminal svg size 900,520 font 'sans-serif,13' background 'white'
set output "issac-figure3.svg"
set encoding utf8
set title "Share of each step"
set xlabel "prime, place"
set ylabel "%"
set datafile missing NaN
set key outside below
set grid ytics linecolor '#dddddd'
set offsets 0.5, 0.5, 0, 0
set format y '%g'
set yrange [0:*]
set style data histograms
set style histogram rowstacked
set style fill solid 0.8
set boxwidth 0.9
set xtics noenhanced font ',10'
$data << EOD
"p8, CPU" 32.9045 38.8933 28.1684
"p16, CPU" 44.5328 26.3357 29.128
EOD
plot $data using 2:xtic(1) linecolor rgb '#0072b2' title "twiddle", $data using 3:xtic(1) linecolor rgb '#d55e00' title "base case", $data using 4:xtic(1) linecolor rgb '#009e73' title "permutation"
