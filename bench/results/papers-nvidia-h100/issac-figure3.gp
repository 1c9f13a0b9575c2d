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
"p8, device" 21.5237 42.4983 27.6458 8.33219
"p8, CPU" 31.1011 49.6822 19.1863 NaN
"p16, device" 25.8093 35.1924 20.633 18.3653
"p16, CPU" 32.208 37.2916 30.4605 NaN
EOD
plot $data using 2:xtic(1) linecolor rgb '#0072b2' title "twiddle", $data using 3:xtic(1) linecolor rgb '#d55e00' title "base case", $data using 4:xtic(1) linecolor rgb '#009e73' title "permutation", $data using 5:xtic(1) linecolor rgb '#cc79a7' title "layout"
