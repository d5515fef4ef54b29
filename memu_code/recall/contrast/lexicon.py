"""Words in which two tasks can differ though everything else is alike, and words that say the same thing.

A line of `OPPOSITES` is one dimension: its kind, then its sides, each with the words that stand for it. A text that is
on one side and a text that is on another ask for different things. Words are written in their base form in American
spelling; `words.stem` brings other forms there. A word may belong to several dimensions.
"""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """In what two wordings differ."""

    QUANTITY = "quantity"
    BOUND = "bound"
    QUANTIFIER = "quantifier"
    SAMENESS = "sameness"
    EXTREME = "extreme"
    NEGATION = "negation"
    ORDER = "order"
    POSITION = "position"
    SETS = "sets"
    OPERATION = "operation"
    ACTION = "action"
    TYPE = "type"
    ITEM = "item"
    CASE = "case"
    PARITY = "parity"
    SIGN = "sign"
    UNIQUENESS = "uniqueness"
    AXIS = "axis"
    UNIT = "unit"
    MEASURE = "measure"
    NOTATION = "notation"
    CLASS = "class"
    CONDITION = "condition"
    DIRECTION = "direction"
    ENTITY = "entity"
    SENTENCE = "sentence"
    WORDING = "wording"


OPPOSITES = """
extreme: smallest minimum min minima lowest least minimal fewest shortest minimize tiniest cheapest youngest earliest
  nearest closest slowest weakest worst narrowest shallowest lightest newest latest
  | largest maximum max maxima highest greatest biggest most longest maximal maximize tallest dearest oldest
  furthest farthest fastest strongest best widest deepest heaviest
extreme: smaller shorter fewer lesser lower cheaper | larger bigger greater higher longer taller
extreme: floor | ceiling ceil | round nearest
bound: morethan atleast exceed above over beyond | lessthan atmost below under beneath | exactly precisely
bound: atleast atmost inclusive | morethan lessthan exclusive strictly
sameness: same equal identical match | different unequal distinct differ differing mismatch
quantifier: all every each | any some
position: inside within | outside
order: ascending increasing ascend rising increase ascendingly | descending decreasing descend falling decrease
order: lexicographic lexicographical alphabetical alphabetic | numeric numerical numerically | chronological
order: shuffle random randomize | sort sorted order
order: before prior preceding previous precede earlier predecessor
  | after later following next succeed succeeding subsequent successor
order: preorder | inorder | postorder | levelorder
order: stack lifo | queue fifo
position: first start beginning begin prefix leading front head startswith initial initially
  | last end ending suffix postfix trailing rear tail endswith final finally back
  | middle center central mid
position: left leftmost | right rightmost
position: above over top upper topmost | below under bottom lower beneath bottommost
position: inner inside interior | outer outside exterior
position: parent ancestor | child children descendant
position: source origin | target destination
position: opening open | closing close
position: numerator dividend | denominator divisor
position: north | south | east | west
sets: union merge combine join | intersection intersect common shared mutual | complement
sets: subset sublist | superset | disjoint
sets: symmetricdifference | setdifference
operation: sum total add addition summation plus added cumulative
  | product multiply multiplication multiplied factorial
  | difference subtract subtraction minus subtracted deduct
  | quotient divide division ratio divided
  | average mean averaged avg | median | mode | stdev variance | range
  | remainder modulo modulus mod
operation: count frequency occurrence tally howmany | index position location
operation: sqrt | cbrt | square squared | cube cubed cubic | halve | log logarithm | exponential exponent power
operation: gcd | lcm
operation: double doubled twice | half halved halve | triple tripled thrice
operation: sine sin | cosine cos | tangent tan
operation: derivative differentiate | integral integrate
operation: bitand logicaland | bitor logicalor | bitxor xor | bitnot
operation: permutation permute arrangement | combination combinatorial
operation: mean average | maximum max | minimum min | sum total
action: encode encoding encrypt encryption serialize dump compress zip pack marshal obfuscate
  | decode decoding decrypt decryption deserialize decompress unzip unpack extract parse load
action: read reading load open fetch download import receive get
  | write writing save store upload export send put
action: insert append add push prepend attach create | remove delete drop pop erase discard eliminate clear
action: include including keep retain preserve allow | exclude excluding omit skip ignore discard disregard drop
action: split separate divide tokenize | join concatenate merge combine concat
action: enable activate | disable deactivate
action: start begin launch | stop end terminate kill
action: lock acquire | unlock release
action: connect attach | disconnect detach
action: show display reveal | hide conceal
action: expand widen grow extend | shrink narrow contract truncate trim
action: flatten unnest | nest group
action: validate verify check test | fix repair correct
action: sort | reverse | rotate | shuffle | swap
action: copy duplicate clone | move
action: push enqueue | pop dequeue
action: raise throw | catch suppress handle swallow
action: accept | reject
action: win | lose
action: buy | sell
action: credit deposit | debit withdraw
action: succeed success pass | fail failure
action: valid true correct | invalid false incorrect wrong
action: rise up upward ascend | drop down downward
action: get | post | put | patch | head
action: filter select | map transform
type: list array vector | tuple | dictionary dict dictionaries dicts mapping hashmap hashtable map | set frozenset
  | string str text | dataframe | series | generator iterator | matrix grid
type: integer int whole | float floating decimal real double | complex | boolean bool | fraction rational
type: json | csv | xml | yaml yml | html | markdown md | excel xlsx xls | parquet | pdf | toml ini | tsv | pickle
type: png | jpg jpeg | gif | svg | bmp | webp
type: zip | tar | gzip gz | bz2 | rar
type: md5 | sha1 | sha256 | sha512 | crc32
type: utf8 | ascii | latin1 | utf16
type: function | class | method | module
type: file | directory folder | url link
type: stack | queue | linkedlist | tree binarytree bst | graph | heap
type: mysql | sqlite | postgres postgresql | mongodb mongo | redis | oracle
type: timestamp epoch | datetime | date | time
type: sync synchronous | async asynchronous
item: word | character char letter | digit | line | sentence | paragraph | page | byte | bit | token
item: space whitespace blank | tab | newline | comma | semicolon | colon | period dot | hyphen dash | underscore
  | slash | pipe
item: vowel | consonant
item: alphabet alphabetic alpha | numeric digit | alphanumeric | punctuation special
item: row | column col | cell | diagonal
item: node vertex | edge
item: bracket parenthesis paren | brace | quote
item: key | value val
item: index position | value element item
case: uppercase upper capital capitalize capitalized | lowercase lower | titlecase title | swapcase
case: camelcase | snakecase | kebabcase | pascalcase
case: caseinsensitive | casesensitive
parity: even | odd
sign: positive | negative | nonzero
sign: nonnegative | nonpositive
uniqueness: unique distinct deduplicate uniq different
  | duplicate repeated repeating duplicated repeat repetition recurring repetitive
uniqueness: onlyonce | morethanonce
axis: row rowwise | column columnwise col
axis: horizontal horizontally | vertical vertically | diagonal
axis: width wide | height tall high | depth deep | length long
axis: latitude | longitude
axis: x | y | z
axis: portrait | landscape
axis: clockwise | counterclockwise
unit: nanosecond ns | microsecond | millisecond ms | secondunit sec | minute | hour hourly | day daily | week weekly
  | month monthly | quarter quarterly | year yearly annual annually | decade | century
unit: millimeter mm | centimeter cm | meter | kilometer km | mile | yard | foot feet | inch inches
unit: gram | kilogram kg | pound lb lbs | ounce oz | ton
unit: celsius centigrade | fahrenheit | kelvin
unit: kilobyte kb | megabyte mb | gigabyte gb | terabyte tb
unit: degree | radian
unit: dollar usd | euro eur | pound gbp | yen jpy | rupee inr
unit: liter | milliliter | gallon
unit: weekday | weekend
unit: am | pm
unit: utc gmt | local
measure: area | perimeter circumference | volume | diameter | radius | surface lateral | diagonal | angle | slope
measure: circle | square | triangle | rectangle | cube | sphere | cylinder | cone | pentagon | hexagon | octagon
  | rhombus | parallelogram | trapezium trapezoid | ellipse | pyramid | prism | polygon | cuboid | torus | tetrahedron
measure: speed velocity | acceleration | distance | duration | weight mass | temperature | price cost | age
measure: manhattan | euclidean | hamming | levenshtein | cosine | jaccard
measure: precision | recall | accuracy
measure: profit gain | loss
measure: simple | compound
notation: binary base2 | octal base8 | hexadecimal hex base16 | decimal base10 | roman | base64 | scientific
notation: percent percentage | fraction | ratio
notation: json | xml | csv | yaml
notation: unicode | ascii | emoji
class: prime | composite | perfect | palindrome palindromic | armstrong narcissistic | fibonacci | triangular | happy
  | factorial | abundant | deficient | square | cube | catalan | lucas | harmonic | harshad | amicable | automorphic
class: arithmetic | geometric | harmonic | polynomial
class: bubble | merge | quick quicksort | heap heapsort | insertion | selection | radix | bucket | shell
class: linear | binarysearch | interpolation | exponential
class: bfs breadth | dfs depth | dijkstra | astar
class: undirected | directed
class: weighted | unweighted
class: linear | quadratic | cubic | logarithmic
class: bar | line | scatter | histogram | pie | boxplot | heatmap
class: inner | outer | cross
class: subsequence | substring | subarray subsegment
class: linear | logistic | ridge | lasso
class: isosceles | equilateral | scalene | rightangled
class: red | green | blue | yellow | black | white | orange | purple
class: january jan | february feb | march | april apr | may | june jun | july jul | august aug | september sep sept
  | october oct | november nov | december dec
class: monday mon | tuesday tue | wednesday wed | thursday thu | friday fri | saturday sat | sunday sun
class: spring | summer | autumn fall | winter
class: python | java | javascript | ruby | rust | bash | sql
class: linux | windows | macos
class: http | https | ftp | ssh | smtp
class: male man men boy | female woman women girl
class: mother | father | brother | sister
class: teacher | student
"""

# One side only: whoever asks for it wants more, or less, than who does not.
MARKERS = """
condition: consecutive adjacent contiguous neighboring successive
condition: reverse reversed backward backwards
condition: absolute
condition: recursive recursively recursion
condition: nested multidimensional
condition: alternate alternating alternately
condition: weighted
condition: rotate rotation shift
condition: inplace
condition: lambda
condition: regex regexp regularexpression
condition: caseinsensitive
condition: strictly
condition: parallel concurrent concurrently
condition: stable
condition: normalized
condition: rounded round truncated
condition: cumulative running rolling
condition: circular cyclic
condition: inclusive
condition: leap
condition: empty
condition: optional
condition: only solely exclusively
condition: itertools
condition: heapq
condition: pandas
condition: numpy
condition: squared square
"""

SYNONYMS = """
find | get | compute | calculate | determine | identify | obtain | retrieve | locate | search | discover | detect | look
  | figure | work | derive | evaluate | return | give | provide | produce | output | show | display | print | tell
  | fetch | extract | pick | choose | select | receive | take | accept
check | verify | whether | test | ascertain | validate | confirm | assert | inspect | see | examine | decide | if | tell
make | create | build | construct | generate | form | produce | write | implement | develop | define | design | compose
convert | transform | change | turn | translate | cast | map | switch
remove | delete | eliminate | drop | strip | discard | erase | clear | exclude
given | provided | supplied | specified | particular | certain | input | passed | specific | giving | stated | named
function | method | program | script | procedure | routine | python | code | feature | functional
element | item | entry | member | component | object | piece | constituent | factor
number | integer | value | figure | amount | numeral | digit | quantity | numeric
count | number | frequency | occurrence | tally | quantity | amount | total | times
list | array | sequence | collection | series | vector | arrangement | iterable
dictionary | dict | mapping | hash
string | text | str | chain | sequence | strand | word
set | collection | group
sublist | subarray | subset
equal | same | identical | match | equivalent | like | alike
different | distinct | unique | differing | various | separate
combine | merge | join | concatenate | unite | link | connect | concat | unify
replace | substitute | swap | exchange | change | interchange
sort | order | arrange | rank | organize | sorted | ordering
use | utilize | apply | employ | help | via | through | assistance | aid | using
contain | include | have | hold | comprise | consist | possess
appear | occur | exist | present | found | happen | appearance
position | index | location | place | spot | slot | place
character | char | letter | symbol | sign
row | line
matrix | grid | table
consecutive | adjacent | contiguous | successive | neighboring | continuous | sequential
divide | split | partition | separate | break | cut | segment | portion | chunk
length | size | long
need | require | must | necessary | should | required
possible | feasible | can | able
allow | permit | let | enable
begin | start | commence
end | finish | conclude
big | large | great
small | little | tiny
part | portion | section | segment
pair | couple | two
single | one | sole | individual
several | multiple | many | various | numerous
total | overall | sum | whole | entire | complete
all | every | each | entire | whole | complete
any | some
satisfy | meet | fulfill | match
rule | condition | criterion | criteria | requirement
way | manner | method | possibility | means
maximum | max | largest | upper
difference | gap | distinction
area | surface | region
side | edge
point | dot | spot
cost | price
path | route | way
formula | equation
reach | arrive | attain | get
represent | denote | describe | indicate | express
following | subsequent | next | below
similar | common | shared | alike | same
repeated | duplicate | recurring | repeat | repetitive
initial | first | original
modify | change | alter | edit | update | adjust
round | approximate
split | separate | divide
person | people | man
price | cost | fee
start | open
divisible | multiple | divide | division | divisor | separable
multiply | multiplication | product | times
subtract | subtraction | minus
add | addition | plus | append
rotate | rotation | turn | spin
occur | occurrence
parenthesis | bracket | brace | paren
picture | image | photo
file | document
folder | directory
delete | remove
error | exception
empty | blank | void
correct | right | valid | proper
false | wrong | invalid
"""
