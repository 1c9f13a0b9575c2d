set terminal svg size 900,520 font 'sans-serif,13' background 'white'
set output "gpu2010-figures3-5.svg"
set encoding utf8
set title "Kernels and surroundings of a transform on a device"
set xlabel "form"
set ylabel "ms"
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
"Cooley-Tukey" 0.229888 2.24829 0.826464 0 8.15555 7.41416 5.05269 4.86521
"tabulated powers" 0.229568 2.23149 0.826816 0 4.44403 7.97304 5.04553 4.86732
"Stockham" 0.229568 6.68461 0 3.73059 5.0479 7.41797 5.02163 4.86719
EOD
plot $data using 2:xtic(1) linecolor rgb '#0072b2' title "convert", $data using 3:xtic(1) linecolor rgb '#d55e00' title "permutation", $data using 4:xtic(1) linecolor rgb '#009e73' title "base case", $data using 5:xtic(1) linecolor rgb '#cc79a7' title "twiddle", $data using 6:xtic(1) linecolor rgb '#56b4e9' title "butterfly", $data using 7:xtic(1) linecolor rgb '#e69f00' title "plan and powers", $data using 8:xtic(1) linecolor rgb '#000000' title "upload", $data using 9:xtic(1) linecolor rgb '#7f7f7f' title "download"
