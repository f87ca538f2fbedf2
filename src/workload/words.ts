/**
 * The words of synthetic prompts: 1,024 common short English words, each of which, after a blank,
 * is one token in the vocabularies of GPT-2, GPT-4, GPT-4o, Llama 2 and Llama 3. So a prompt of n
 * words is close to n tokens on most servers before any calibration.
 *
 * The list is part of what a seed means: changing it changes every synthetic prompt.
 */
export const WORDS: readonly string[] = `
  able about above accept access across act action active actual add adult advice affect afford
  afraid after again age agent ago agree ahead aim air alarm album all allow almost alone along
  also always amount an and anger angle angry animal annual answer any anyone apart appeal appear
  apple apply are area argue arm army around arrive art as aside ask asked assist assume at attend
  author avoid aware away awful axis baby back bad bag ball band bank bar bare base basic basis
  basket bath battle be beach bear beat beauty become bed been before began begin behave behind
  being belief bell belong below beside best bet better beyond big bill bind bird birth bit black
  blank blind block blow blue board boat body bold bond book boot border born borrow both bottom
  bound box boy boys brain branch brave bread break breath brick bridge brief bright bring broad
  broken brown budget build bunch burst bus bush busy but button buy by cabin cable called calm
  came camera camp can cancel cap car card care career carry case castle cat catch cattle cause
  cave cell center chain chair chance change charge charm chart cheap check chief child choice
  choose church circle city civil claim class clean clear clever client clock close cloth cloud
  club coach coast coat code coin cold color come cook cool copy core corn cost could count court
  cover cow crack craft crew cross crowd crown cup curve cut cycle daily dance dark data date day
  days deal dear deck deep delay depth did dig dirty do does dog door dot doubt down dozen draft
  drag drama draw dream dress drink drive drop drum dry due during dust duty each eager ear early
  earth ease east easy eat edge edit egg eight elder elect else empty end enjoy enough enter entry
  equal error even event ever every exact exist exit extra eye eyes face fact fail fair faith fall
  false fame fan fancy far farm fast fate father favor fear fee feed feel feet few field fifty
  file fill film final find fine fire firm first fish fit five fix flag flash flat fleet float
  floor flow fly focus fog folk food foot for force form found four frame free fresh from front
  fruit fuel full fun fund gain game gap gas gate get giant gift girl give given glad glass glory
  go goal going gold good got grab grace grade grand grant grass gray great green group grow guard
  guess guest guide habit had hair half hall hand hang happy hard has hat have he head hear heard
  heart heat heavy hello help her here hero hide high hill him hint his hit hold hole home honor
  hook hope horse host hot hotel hour house how huge human humor ice idea ideal if image in index
  inner input into iron is issue it item its job join joint joy judge jump just keen keep key kick
  kid kind king kiss knew knock know label labor lack lady lake lamp land lap large last late
  laugh law lay layer lazy lead leaf lean learn leave left leg legal let level lie life lift light
  like limit line link lip list liter little live load loan local lock log logic long look looked
  loose lord lose loss lost lot loud love low loyal luck lung made magic mail main major make male
  man many map march mark marry mask mass match math may mayor me mean means meat media meet men
  menu mere metal might miles milk mill mind mine minor miss mix mode model money month moon moral
  more most mother motor mount mouse mouth move movie much mud music must my myth name near neat
  neck need nest net never new news next nice night nine no noble noise none north nose not note
  novel now number nut occur ocean odd of off offer often oil okay old older on once one only onto
  open opera or orbit order organ other others our out outer over own owner pace pack page pain
  paint pair pale pan panel paper park part parts party pass past path pause pay peace peak pen
  people phase phone photo piano pick piece pilot pin pipe pitch place plain plan plane plant
  plate play plot plus poem poet point pole pool poor pop port post pot pour power pray press
  price pride prime print prior prize proof proud prove pull pure push put queen quick quiet quite
  quote race radio rail rain raise range rank rapid rare rate raw reach react read ready real red
  refer relax rely rent reply rest rice rich ride right ring rise risk rival river road robot rock
  role roll roof room root rose rough round route row royal rub rule run rural sad safe said sail
  sake sale salt same sand save saw say scale scene school score sea seat second see seed seek
  seem seen self sell send sense serve set seven shall shame shape share sharp she sheep sheet
  shell shift ship shock shop shore short shot should shout show shut side sight sign since sing
  sink sir sit site six size skill skin sky sleep slice slide slow small smart smile smoke snow so
  soft soil solid solve some son song soon sorry sort soul sound soup south space speak speed
  spell spend split sport spot stack staff stage stamp stand star start state stay steam steel
  step stick still stock stone stop store storm story strip study stuff style such sugar suit sun
  sure sweet swing table tail take talk tall tank task taste tax tea teach team teeth tell ten
  tend tent term test text than thank that the their them theme then there these they thick thin
  thing things think third this those three throw thumb thus tie tight till time times tin to
  today told too took top toward trees try turned two under until up us use used using very want
  was water way ways we well went were what when where which while white who whole why will with
  word words work world would write year years you young your
`
  .trim()
  .split(/\s+/);
