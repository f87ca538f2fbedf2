/** What the viewer's pages have beyond a report: their style, and the script that asks the server. */

export const VIEW_STYLE = `
.tools{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:end;margin:1rem 0}
.tools label,.limit label{display:block;font-size:.9rem;color:var(--soft)}
input[type=search],input[type=number]{font:inherit;color:var(--ink);background:var(--page);border:1px solid var(--soft);border-radius:4px;padding:4px 8px;max-width:100%}
input[type=number]{width:8.5em}input[type=search]{width:22em}
input[type=range]{flex:1 1 140px;min-width:0;accent-color:var(--c0)}input[type=checkbox]{width:18px;height:18px}
input:focus-visible{outline:3px solid var(--c0);outline-offset:2px}
.limits{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr));gap:8px 24px;border:0;padding:0;margin:0;min-width:0}
.limit div{display:flex;gap:8px;align-items:center}
[role=status]{min-height:1.5em;font-weight:600}
[data-results] th:last-child,[data-results] td:last-child{text-align:left;white-space:normal}
th.name{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:8em}
`;

/**
 * Only ever writes text (\`textContent\`), never markup: a hostile name cannot become a tag here
 * either. One question is open at a time; the newest one waits.
 */
export const VIEW_SCRIPT = `
{
const say = (text) => { const status = document.querySelector('[role=status]'); if (status) status.textContent = text; };
const ask = async (path) => {
  const token = document.querySelector('meta[name=goodput-token]').content;
  const answer = await fetch(path, { headers: { 'x-goodput-token': token } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.problem);
  return body;
};
const fill = (table, rows) => {
  const body = table.tBodies[0];
  body.replaceChildren(...rows.map((cells) => {
    const row = document.createElement('tr');
    row.append(...cells.map((cell, at) => {
      const element = document.createElement(at === 0 ? 'th' : 'td');
      if (at === 0) element.scope = 'row';
      element.textContent = cell;
      return element;
    }));
    return row;
  }));
};
const search = document.querySelector('input[type=search]');
if (search) search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\\s+/);
  let shown = 0;
  for (const row of document.querySelectorAll('[data-runs] tbody tr')) {
    row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    if (!row.hidden) shown += 1;
  }
  say(shown + ' of ' + document.querySelectorAll('[data-runs] tbody tr').length + ' runs');
});
const form = document.querySelector('form[data-what-if]');
if (form) {
  const table = document.querySelector('[data-results] table');
  let busy = false, waiting = false;
  const judge = async () => {
    if (busy) { waiting = true; return; }
    busy = true;
    const late = setTimeout(() => say('reading the records…'), 400);
    try {
      const { rows, sentence } = await ask(form.dataset.whatIf + '?' + new URLSearchParams(new FormData(form)));
      clearTimeout(late);
      fill(table, rows);
      say(sentence);
    } catch (error) { clearTimeout(late); say(error.message); }
    busy = false;
    if (waiting) { waiting = false; judge(); }
  };
  for (const range of form.querySelectorAll('input[type=range]')) {
    const number = document.getElementById(range.dataset.for);
    range.addEventListener('input', () => { number.value = range.value; judge(); });
    number.addEventListener('input', () => { if (number.value !== '') range.value = number.value; judge(); });
  }
  form.addEventListener('submit', (event) => { event.preventDefault(); judge(); });
  form.addEventListener('reset', () => setTimeout(judge));
}
const live = document.querySelector('[data-live]');
if (live) {
  const look = async () => {
    try {
      const { rows, sentence, ended } = await ask(live.dataset.live);
      fill(live.querySelector('table'), rows);
      say(sentence);
      if (ended) return location.reload();
    } catch (error) { say(error.message); }
    setTimeout(look, 1000);
  };
  look();
}
}
`;
