#!/bin/sh
# Tests `report` on the emulator's records: a self-contained, well-formed page, Markdown, and a
# drawing; what is missing is named, what is wrong is refused.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
mkdir nothing # a folder of records that has none

has_one() {
    [ "$(grep -c "$1" "$2")" -eq 1 ]
}
lacks() {
    ! grep -Eiq "$1" "$2"
}
# Well-formed as XML, which HTML of this form is too; every element closed, every attribute quoted.
is_well_formed() {
    python3 - "$1" << 'END'
import sys, xml.dom.minidom
page = xml.dom.minidom.parse(sys.argv[1])
for name in ("head", "main", "h1"):
    assert len(page.getElementsByTagName(name)) == 1, name
for svg in page.getElementsByTagName("svg"):
    assert svg.hasAttribute("viewBox") and svg.getAttribute("role") == "img", "svg"
for figure in page.getElementsByTagName("figure"):
    assert figure.getElementsByTagName("figcaption") and figure.getElementsByTagName("table"), \
        "a figure without a title or its table"
END
}

refuses nothing 1 "no records here; 'autotune --n 1K..4G'" report
refuses no-such-gpu 64 "'v10' is no GPU" report v10
refuses no-such-file 74 "none.ini: there is no such file" report none.ini
refuses too-many 64 "more than 8" report t4 t4 t4 t4 t4 t4 t4 t4 t4
refuses no-such-table 74 "none.csv" report --bench none.csv
printf 'n,us\n1,2\n' > wrong.csv
refuses wrong-table 64 "not a table of bench: it needs the columns n, ours_us" report --bench wrong.csv
refuses wrong-ladder 64 "not a table of the ladder: it needs the columns group" report --ladder wrong.csv
printf 'n,us\n1\n' > torn.csv
refuses torn-table 64 "torn.csv:2: .*not as many cells" report --bench torn.csv
printf 'n,ours_us,cub_us,ours_gbs,gpu,op,type\n' > empty.csv
refuses empty-table 64 "no line but its titles" report --bench empty.csv
refuses no-option-of-others 64 "report has no --device" report --device 0

small_space small.ini
# widened: two values of ITEMS too.
widened small.ini ITEMS '4 8' > wide.ini
for n in 1K 2K 20K; do
    run --device host --n $n --space wide.ini --quiet
done
run report -o page.html
check page has_status 0
check page-is-named grep -q '^report  *page.html$' err
check page-nothing-on-stdout test ! -s out
check page-title has_one '<h1>sum i32 20K cold on the host emulator</h1>' page.html
check page-no-network lacks 'https?:|@import|url\(|src=|<link' page.html
check page-no-script lacks '<script|javascript:| on[a-z]+=' page.html
check page-phone grep -q '<meta name="viewport"' page.html
check page-dark grep -q 'prefers-color-scheme: dark' page.html
check page-print grep -q '@media print' page.html
check page-emulated grep -q 'No model of a GPU&#39;s speed' page.html
check page-chart grep -q 'GB/s over n of sum i32, from the records' page.html
check page-trials grep -q 'Trials of sum i32 20K cold: GB/s by BLOCK and ITEMS' page.html
check page-source grep -q '<mark title="[0-9]*: threads per block">BLOCK</mark>' page.html
check page-says-no-others grep -q 'Nothing is said of other libraries: .*autotune bench' page.html
check page-says-no-ladder grep -q 'The classic reductions were not measured: .*autotune ladder' page.html
if command -v python3 > /dev/null; then
    check page-well-formed is_well_formed page.html
else
    skip page-well-formed "no python3 to read it"
fi
run report -o - --quiet
check page-on-stdout cmp out page.html
check page-says-marks grep -q 'marked: rest the pointer on one' page.html
run report --md
check marks-are-of-pages-alone lacks 'rest the pointer' out

check page-of-the-kernels-that-were-measured lacks 'Space or template are not those' page.html
run --device host --n 500 --type f32 --order n --cache own --quiet --csv race.csv
gained=$(sed -n 's/^ *\([0-9.]*\) times as fast as the default, 95 % interval .* to .*/\1/p' out)
run report --cache own -o own.html --quiet
check own has_status 0

# One record has one gain, wherever it is told: the race's.
# tells_gain NUMBER: of four digits behind the point, as the winner's lines have it?
tells_gain() {
    awk -v a="$1" -v b="$gained" 'BEGIN { exit !(b > 0 && a / b < 1.006 && b / a < 1.006) }'
}
raced_gain() {
    tr -d '\r' < race.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "ratio") ratio = i; if ($i == "outcome") outcome = i } }
        $outcome == "winner" { own = $ratio } /default/ && NR > 1 { untuned = $ratio }
        END { if (own) print untuned / own }'
}
check gain-is-of-the-race tells_gain "$(raced_gain)"
check gain-in-the-report tells_gain \
    "$(sed -n 's/.*<dt>faster than untuned<\/dt><dd class="figure">\([0-9.]*\) times<.*/\1/p' own.html)"
check gain-has-an-interval grep -q 'default, by turns, at 500; 95 % interval' own.html
run show --cache own --json -
check gain-in-show tells_gain "$(sed -n 's/.*"x_default": \([0-9.]*\),.*/\1/p' out)"
run --device host --n 500 --type f32 --order n --cache own --quiet --json -
check gain-from-the-record tells_gain "$(sed -n 's/.*"x_default": \([0-9.]*\),.*/\1/p' out)"
check own-source grep -q '<mark' own.html
check own-is-as-measured lacks 'Space or template are not those' own.html

# Records that come with the program, where there are some.
if ls "$ROOT"/configs/tuned/nvidia-h200/*.ini > /dev/null 2>&1; then
    run report h200 --cache nothing -o shipped.html
    check shipped-says-no-interval sh -c '! grep -Eq "95 % interval|0, each proven|0 proven and" shipped.html'
    check shipped-says-so grep -q 'what ships with this program' shipped.html
    check shipped has_status 0
    check shipped-may-use-an-input-again grep -q 'no input is used twice, but where one is far larger than the cache' shipped.html
    check shipped-has-no-day grep -q 'SMs\. Tuned before it was shipped, with NVRTC' shipped.html
    check shipped-says-what-was-counted grep -q '>counted in</th>' shipped.html
    check shipped-counts-in-code-of-a-name grep -Eq '<td>(PTX|SASS)</td>' shipped.html
    check shipped-says-of-what grep -q '>instructions / element</th>.*>bound, % of peak</th>' shipped.html
    check shipped-computed-in-parentheses grep -q '>RTX 5070</td><td>published</td><td class="n">2.65 ms</td><td class="n">(604)</td><td class="n">(89.8)<' shipped.html
    check shipped-promises-no-prediction lacks 'a prediction is' shipped.html
    check shipped-title grep -q '<h1>.* on H200</h1>' shipped.html
    check shipped-peak grep -q 'of the theoretical 4814 GB/s' shipped.html
else
    skip shipped "no records come with the program"
fi

# With tables; a column more or less, in another order, does no harm.
run ladder --device host --n 1000 --rung harris --csv ladder.csv
cat > bare.csv << 'END'
n,cub_us,ours_us,ratio,ratio_lo,ratio_hi,ours_gbs,peak_pct,variant
1024,2.134,1.334,1.5999,1.5961,1.6027,3.1,0.1,"BLOCK=32,ITEMS=32"
100003,3.241,1.931,1.6790,1.6750,1.6828,207.2,4.3,"BLOCK=32,ITEMS=8"
1073741824,946.608,959.632,0.9867,0.9862,0.9873,4475.6,93.0,"BLOCK=256,ITEMS=32"
4294967296,3801.696,3705.824,1.0246,1.0240,1.0253,4635.9,96.3,"BLOCK=512,ITEMS=32"
END
sed '1s/$/,op,type,regime,gpu/; 2,$s/$/,sum,i32,cold,host/' bare.csv > cub.csv
run report --bench cub.csv --ladder ladder.csv -o full.html
check full has_status 0
check full-cub grep -q 'Faster at 3 of 4 sizes, slower at 1: 0.987 times at 1Gi to 1.679 times at 100003; 1.025 times at 4Gi, the largest n\.' full.html
check full-card-has-the-least grep -q 'than CUB at 100003; the least: 0.987 times at 1Gi<' full.html
check full-time-has-a-unit grep -q 'Time in us over n, beside CUB' full.html
check full-ratio grep -q 'How many times faster than CUB' full.html
# The ratio and its interval are the table's; what is left of the times says less.
sed '2s/1.5961/0.9961/; 5s/,3705.824,/,3600.0,/' cub.csv > tie.csv
run report --bench tie.csv
check tie-is-as-fast grep -q 'Faster at 2 of 4 sizes, as fast at 1, slower at 1: 0.987 times at 1Gi to 1.679 times at' out
check ratio-is-the-tables grep -q '1.025 times at 4Gi' out
cut -d, -f1-3,7- cub.csv > times.csv
run report --bench times.csv
check times-alone grep -q 'Faster at 3 of 4 sizes, slower at 1: 0.986 times at 1Gi to 1.678 times at 100003; 1.026 times' out
check full-has-all-lines lacks 'Left out:' full.html
sed '3s/,1.931,/,nan,/; 4s/,959.632,/,-1,/' cub.csv > torn_figures.csv
run report --bench torn_figures.csv
check lines-left-out-are-said grep -q "Left out: 2 of the table's 4 lines" out
sed '1s/$/,against/; 2,$s/$/,a <b>library<\/b> 1.2/' cub.csv > library.csv
run report --bench library.csv -o library.html
check library-is-named grep -q '<h2>sum i32 cold on host against a &lt;b&gt;library&lt;/b&gt; 1.2</h2>' library.html
check library-in-charts grep -q 'How many times faster than a &lt;b&gt;library&lt;/b&gt; 1.2' library.html
check library-is-not-cub lacks '>CUB|beside CUB|CUB&#39;s' library.html
{
    head -n 1 cub.csv | sed 's/$/,against/'
    for i in 1 2 3 4 5; do sed -n "2s/\$/,library $i/p" cub.csv; done
} > five.csv
refuses five-libraries 64 'more than 4 other libraries' report --bench five.csv

# A table says what it is of, and is of this report's GPU.
refuses table-without-subject 64 'bare.csv: does not say what was measured where: .*columns gpu, op and type' \
    report --bench bare.csv
sed 's/,host$/,NVIDIA H200/' cub.csv > h200.csv
refuses table-of-another-gpu 64 'h200.csv: was measured on NVIDIA H200, and this report is about host' \
    report --bench h200.csv
refuses table-of-another-gpu-by-name 64 "measured on NVIDIA H200, .* about V100: .*report \"NVIDIA H200\"" \
    report v100 --cache nothing --bench h200.csv
sed 's/,sum,i32,/,max,f64,/' cub.csv > max.csv
run report --bench max.csv -o max.html
check table-of-another-problem grep -q '<h2>max f64 cold on host against CUB</h2>' max.html
check table-of-another-problem-says-so \
    grep -q 'This is max f64, not the problem of this page&#39;s title, sum i32 20K cold' max.html
check table-of-another-problem-warns test "$(grep -c \
    'warning: --bench max.csv is of max f64, and the page.s title is sum i32 20K cold: ' err)" -eq 1
check card-begins-with-the-factor grep -q '<dt>faster than others</dt><dd class="figure">up to 1.68 times<' full.html
check table-of-this-problem-says-nothing lacks 'not the problem of this page' full.html
sed '4s/,sum,/,max,/' cub.csv > mixed.csv
refuses table-of-two-problems 64 "mixed.csv: line 4 is of 'max', the lines before it are of 'sum'" \
    report --bench mixed.csv
sed '1s/$/,offset,order/; 2,$s/$/,4,stream/' cub.csv > off.csv
run report --bench off.csv -o off.html
check table-of-other-calls grep -q \
    '<h2>sum i32 cold, from 4 bytes past alignment, calls queued one by one on host against' off.html
sed '1s/,device,/,machine,/' ladder.csv > bare_ladder.csv
refuses ladder-without-subject 64 'bare_ladder.csv: does not say what was measured where' \
    report --ladder bare_ladder.csv
sed 's/,host,/,NVIDIA H200,/' ladder.csv > h200_ladder.csv
refuses ladder-of-another-gpu 64 'h200_ladder.csv: was measured on NVIDIA H200, .* about V100' \
    report v100 --cache nothing --ladder h200_ladder.csv
check ladder-emulated-has-no-share sh -c '! grep -q "that are alike" full.html'
cat > shares.csv << 'CSV'
group,rung,kernel,threads,status,ms,gbs,peak_percent,device,n,op,type,cause
harris,harris-1,1 interleaved,128,measured,4,400,8.31,NVIDIA H200,400000000,sum,i32,
CSV
run report h200 --cache nothing --ladder shares.csv
check ladder-beside-documents grep -Eq '^interleaved modulo, V100 f32 .* 23\.6 %, computed$' out
check ladder-says-alike grep -q '^Beside them kernels of documents that are alike, ' out
check ladder-measured-beside grep -Eq '^interleaved modulo, H200 i32 .* 8\.31 %$' out
sed 's/NVIDIA H200/V100/' shares.csv > v100.csv
run report v100 --cache nothing --ladder v100.csv
check ladder-keeps-documents-chart grep -q 'published by CS599 Lecture 6$' out
check full-ladder grep -q '7 several adds per thread, grid-stride' full.html
if command -v python3 > python; then
    check full-well-formed is_well_formed full.html
    python3 - << 'END'
import csv
rows = list(csv.DictReader(open("ladder.csv", newline="")))
names = ["note to self"] + sorted(n for n in rows[0] if n not in ("registers", "total"))
with open("other.csv", "w", newline="") as f:
    out = csv.DictWriter(f, names, extrasaction="ignore")
    out.writeheader()
    for row in rows:
        out.writerow({**row, "note to self": '<b>"x"</b>'})
END
    run report --ladder other.csv -o other.html
    run report --ladder ladder.csv -o same.html
    check other-columns sh -c 'sed s/other.csv/ladder.csv/ other.html | cmp - same.html'
fi

# A grid of threads and elements, and two tables.
cat > grid.csv << 'END'
group,rung,kernel,threads,items,ms,bytes,gbs,device,n,op,type,cause
grid-a,a-4,4 per thread,32,4,2.0,1000000,0.5,host,20000,sum,i32,few loads
grid-a,a-4,4 per thread,64,4,1.0,1000000,1.0,host,20000,sum,i32,few loads
grid-a,a-8,8 per thread,64,8,0.5,1000000,2.0,host,20000,sum,i32,none
plain,p-1,a plain one,64,8,0.5,1000000,2.0,host,20000,sum,i32,it has a cause
END
run report --ladder ladder.csv,grid.csv -o grid.html
check grid has_status 0
check grid-map grep -q 'title="2.000 GB/s, the best of 1: 8 per thread"' grid.html
check grid-has-no-bars lacks 'class="label">8 per thread' grid.html
check grid-beside-bars grep -q 'class="label">a plain one' grid.html
check grid-cause grep -q 'class="note">blocks of 64; it has a cause' grid.html
check grid-is-emulated grep -q '<i class="fill emulated"' grid.html
check grid-after-the-other grep -q '7 several adds per thread, grid-stride' grid.html
refuses one-of-two-tables 74 "none.csv" report --ladder ladder.csv,none.csv
refuses missing-table-says-what 74 "none.csv.*ladder --csv FILE' write" report --ladder none.csv
refuses empty-name-of-a-table 64 "empty name: give files" report --ladder ladder.csv,

# What a file holds is text, whatever it looks like.
printf 'group,rung,kernel,gbs,device,op,type\n<b>g</b>,1,"<script>alert(1)</script>",5,host,sum,i32\n' > hostile.csv
run report --ladder hostile.csv -o hostile.html
check hostile has_status 0
check hostile-is-text grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' hostile.html
check hostile-is-no-script lacks '<script|<b>g' hostile.html
printf 'group,rung,kernel,gbs,device,op,type\n"g\033[2J",1,"\033[2Jx\nµ",5,host,sum,i32\n' > steering.csv
run report --ladder steering.csv
check hostile-steers-no-terminal sh -c '! grep -q "$(printf "\033")" out'
check hostile-keeps-lines grep -q '^?\[2Jx?µ  *' out

# The record that is asked for, and the axes.
run report --n 2K -o two.html
check other-n grep -q '<h1>sum i32 2K cold on' two.html
refuses no-such-n 1 "no record of that --op, --type, --order, --space and --n" report --n 3K
run report --order n
check no-such-order has_status 1
for order in n free; do # seen to fail without the order in request_wants
    run report h200 --order $order
    check order-$order has_status 0
    cp out order-$order
done
check order-n-is grep -q '^sum f32 .* cold order n on H200' order-n
check order-free-is grep -q '^sum [a-z0-9]* [^ ]* cold on H200' order-free
run report h200 --order n --op max
check order-of-no-sum grep -q '^max [a-z0-9]* [^ ]* cold on H200' out
check order-of-no-sum-is-said grep -q 'max of i32 has the same bits in any order' err
run report --axes GRID,WARP -o axes.html
check axes grep -q 'GB/s by GRID and WARP' axes.html
refuses no-such-axis 64 "'BLOCK,SPEED': give two different params .*BLOCK=" report --axes BLOCK,SPEED
refuses same-axis 64 "give two different params" report --axes BLOCK,BLOCK
refuses one-axis 64 "give two different params" report --axes BLOCK

# Markdown.
run report --md
check markdown has_status 0
check markdown-title grep -q '^# sum i32 20K cold on the host emulator$' out
check markdown-kind-of-no-bar grep -q '^| host |  | no peak known | emulated: ' out
check markdown-table grep -q '^| BLOCK, ITEMS | 4 | 8 |$' out
check markdown-source grep -q '^```cuda$' out
check markdown-no-html lacks '<(p|div|table|td|b|mark)[ >]' out
cp out page
run report -o page.md --quiet
check markdown-by-name cmp page page.md

# Drawn: without colour where nobody sees it, without UTF-8 where the locale has none.
LC_ALL=C "$AUTOTUNE" report > out 2> err
status=$?
check text has_status 0
check text-is-ascii sh -c '! LC_ALL=C grep -q "[^ -~]" out'
check text-bars grep -Eq '^ *20K  #+ ' out
check text-heat grep -Eq '^ *BLOCK  *4  *8  ITEMS$' out
check text-best grep -Eq '^ *(64|128) .*[0-9]\*' out
LC_ALL=C.UTF-8 "$AUTOTUNE" report > out 2> err
check text-utf8 grep -q '█' out
check text-no-colour sh -c '! grep -q "$(printf "\033")" out'
if command -v script > tool; then
    TERM=xterm-256color LC_ALL=C.UTF-8 script -qec "'$AUTOTUNE' report" typescript > colours < /dev/null
    check text-colours grep -q "$(printf '\033\\[48;5;227')" colours
    TERM=xterm-256color NO_COLOR=1 script -qec "'$AUTOTUNE' report" typescript > plain < /dev/null
    check text-refused-colours sh -c '! grep -q "$(printf "\033")" plain'
else
    skip text-colours "no script(1) to make a terminal"
fi

# GPUs by name, without any record; a folder that cannot be written.
# As the document's table has them: kernel 0 in rows of 128 to 1024, kernel 1 in rows of 128.
run report rtx5070ti --cache nothing
check rows-are-said grep -q '^sum f32 512Mi, a result for each row, published by Reduction (Sum): part 1' out
bar() { # KERNEL ROW GBS
    grep -Eq "^rows of $2: $1 $3 GB/s, published$" out
}
check row-128 bar "0 interleaved addressing.*" 128 431.366
check row-256 bar "0 interleaved addressing.*" 256 423.229
check row-512 bar "0 interleaved addressing.*" 512 380.67
check row-1024 bar "0 interleaved addressing.*" 1024 210.878
check row-of-the-other-kernel bar "1 interleaved, contiguous.*" 128 436.138
check row-count test "$(grep -c ', published$' out)" -eq 5
run report v100 rtx5070ti --cache nothing -o gpus.html
check gpus has_status 0
check gpus-no-bound grep -q '<dt>no bound</dt>' gpus.html
check gpus-heat grep -q 'Published by CS599 Lecture 6' gpus.html
check gpus-sides grep -q 'Beside other GPUs' gpus.html
check computed-in-parentheses grep -q '>V100</td><td>published</td><td class="n">4.90 ms</td><td class="n">876.63</td><td class="n">(97.6)<' gpus.html
check gpus-tie-of-rounded-times grep -Eq '>#8 32 elements.*>875\.18 GB/s<.*>blocks of 256<' gpus.html
if command -v python3 > python; then check gpus-well-formed is_well_formed gpus.html; fi
refuses no-such-folder 74 "absent/page.html: cannot be written" report -o absent/page.html
finish
