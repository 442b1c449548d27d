// The view of the rules: all of them, or one, with the texts of `tautline explain`.

import { $, count, element, sentence } from './dom.js';

const SEVERITIES = { error: 'Error', warning: 'Warning', note: 'Note' };

const badge = (rule) => element('span', { className: `badge s-${rule.severity}` }, SEVERITIES[rule.severity]);
const linkTo = (rule) => element('a', { href: `#rule-${rule.name}` }, element('code', {}, rule.name));

/** Shows the rule of this name, or all rules. `tryExample` audits the example of a rule. Returns the title. */
export function showRules(rules, name, tryExample) {
  const at = rules.findIndex((rule) => rule.name === name);
  if (at < 0) {
    $('explain-name').textContent = 'Rules';
    $('explain-body').replaceChildren(...list(rules, name));
    return 'Rules';
  }
  $('explain-name').replaceChildren(element('code', {}, name));
  $('explain-body').replaceChildren(...article(rules, at, tryExample));
  return name;
}

function list(rules, unknown) {
  const search = element('input', { type: 'search', id: 'explain-search', autocomplete: 'off', spellcheck: false });
  const severity = element('select', { id: 'explain-severity' }, new Option('All severities', ''),
    Object.entries(SEVERITIES).map(([name, title]) => new Option(`${title}s`, name)));
  const output = element('output', { className: 'dim' });
  const body = element('tbody');
  const rows = rules.map((rule) => ({
    rule,
    text: `${rule.name} ${rule.summary} ${rule.clause} ${rule.help}`.toLowerCase(),
    row: element('tr', {}, element('th', { scope: 'row' }, linkTo(rule)), element('td', {}, badge(rule)), element('td', {}, sentence(rule.summary))),
  }));
  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    const shown = rows.filter(({ rule, text }) => (!severity.value || rule.severity === severity.value) && words.every((word) => text.includes(word)));
    body.replaceChildren(...shown.map(({ row }) => row));
    output.textContent = `${shown.length} of ${count(rules.length, 'rule')}`;
  };
  search.addEventListener('input', draw);
  severity.addEventListener('change', draw);
  draw();
  const table = element('div', { className: 'table', tabIndex: 0, role: 'group' }, element('table', { className: 'rules' },
    element('thead', {}, element('tr', {}, ...['Rule', 'Severity', 'Meaning'].map((title) => element('th', { scope: 'col' }, title)))), body));
  table.setAttribute('aria-label', 'Rules');
  return [
    unknown ? element('p', { className: 'notice' }, `There is no rule “${unknown}”.`) : '',
    element('p', {}, 'Each rule has a name that never changes. An error breaks the specification. A warning is about messages that are legal, and that some peers handle wrongly.'),
    element('div', { className: 'choices' },
      element('div', {}, element('label', { htmlFor: 'explain-search' }, 'Search'), search),
      element('div', {}, element('label', { htmlFor: 'explain-severity' }, 'Severity'), severity), output),
    table,
  ];
}

function article(rules, at, tryExample) {
  const rule = rules[at];
  const facts = [['Meaning', sentence(rule.summary)], ['Clause', rule.clause], ['Remedy', sentence(rule.help)]];
  const neighbours = [[rules[at - 1], '← '], [rules[at + 1], '→ ']];
  return [
    element('p', {}, badge(rule), rule.is_hint ? ' An error as the cause of a fault.' : ''),
    element('dl', { className: 'facts' }, ...facts.flatMap(([name, text]) => [element('dt', {}, name), element('dd', {}, text)])),
    ...(rule.example ? example(rule, tryExample) : [element('p', { className: 'dim' }, 'No recording can show an example.')]),
    element('nav', { className: 'links', ariaLabel: 'Rules' }, element('a', { href: '#rules' }, 'All rules'),
      ...neighbours.map(([other, arrow]) => other && element('a', { href: `#rule-${other.name}` }, `${arrow}${other.name}`))),
  ];
}

function example(rule, tryExample) {
  const { rules, lines, recording } = rule.example;
  const text = element('pre', { className: 'dialogue', tabIndex: 0, role: 'group' }, ...lines.map((line) => element('span', {}, `${line}\n`)));
  text.setAttribute('aria-label', 'Example');
  const audit = element('button', { type: 'button', id: 'explain-example', onclick: () => tryExample(rule) }, 'Audit this example');
  return [
    element('h2', {}, 'Example'),
    element('p', { className: 'dim' }, `Checked against ${rules === 'auto' ? 'the rules that the messages show' : `the rules of ${rules}`}. The client sends the lines with >, and the server those with <.`,
      lines.some((line) => line.startsWith('[handshake')) ? ' A handshake stands for the three messages that open a session: its revision, and the capabilities of the client and of the server.' : ''),
    text,
    recording ? element('p', {}, audit) : '',
  ];
}
