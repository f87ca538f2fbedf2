/**
 * What is wrong with rules that exist: alerts that can never fire, that fire on one request of
 * two, that nobody owns, and budgets that are a mean of ratios.
 */
import { parser } from '@prometheus-io/lezer-promql';
import type { SyntaxNode } from '@lezer/common';
import { type Place, printable, type Problem } from '../base/index.ts';
import { listIn, readSpecDocuments, type SpecDocument, textIn, valueIn } from './spec-document.ts';

export interface RuleFinding {
  /** `error`: the rule does not do what it is for. `warning`: it may do it badly. */
  readonly weight: 'error' | 'warning';
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
  readonly place: Place;
}

/** Findings in a rules file, in file order; problems when it is no rules file. */
export function lintRules(
  text: string,
  file: string,
): { readonly findings: readonly RuleFinding[] } | { readonly problems: readonly Problem[] } {
  const read = readSpecDocuments(text, file);
  if ('problems' in read) return read;
  const document = read.documents[0];
  if (document === undefined || !Array.isArray(valueIn(document.tree, ['groups']))) {
    const message = 'the file has no groups, so it is no Prometheus rules file';
    const hint = 'give what goodput rules or Sloth wrote';
    const place = { file, line: 1, column: 1 };
    return { problems: [{ code: 'E_CONFIG_VALUE', message, hint, place }] };
  }
  const findings = listIn(document.tree, ['groups']).flatMap((group, groupAt) =>
    listIn(group, ['rules']).flatMap((_, ruleAt) => lintRule(document, groupAt, ruleAt)),
  );
  return { findings };
}

function lintRule(document: SpecDocument, groupAt: number, ruleAt: number): RuleFinding[] {
  const path = ['groups', groupAt, 'rules', ruleAt] as const;
  const alert = textIn(document.tree, [...path, 'alert']);
  const record = textIn(document.tree, [...path, 'record']);
  const rule = alert ?? record ?? `rule ${ruleAt + 1}`;
  const expr = textIn(document.tree, [...path, 'expr']) ?? '';
  const found = (weight: RuleFinding['weight'], message: string, hint: string): RuleFinding => ({
    weight,
    rule: printable(rule),
    message,
    hint,
    place: document.placeOf([...path, 'expr']),
  });
  const tree = parser.parse(expr).topNode;
  if (hasError(tree))
    return [found('error', 'the expression is no PromQL', 'promtool check rules')];
  const means = meansOfRatios(tree, expr).map((inner) =>
    found(
      'error',
      `${inner} is a mean of ratios: a quiet hour weighs as much as a busy one`,
      'divide the sum of increases by the sum of increases',
    ),
  );
  if (alert === null) return means;
  return [
    ...means,
    ...thresholdFindings(tree, expr, found),
    ...missingPeople(document, path, found),
  ];
}

type Found = (weight: RuleFinding['weight'], message: string, hint: string) => RuleFinding;

function thresholdFindings(tree: SyntaxNode, expr: string, found: Found): RuleFinding[] {
  const thresholds = comparisons(tree, expr).filter(({ left }) => isRatio(left));
  if (thresholds.length === 0) return [];
  const dead = thresholds
    .filter(({ value }) => value >= 1)
    .map(({ text, value }) =>
      found(
        'error',
        `can never fire: a share is never above ${text}${text === String(value) ? '' : ` = ${Number(value.toPrecision(6))}`}`,
        'lower the factor until factor × (1 − target) is below 1; goodput rules chooses one',
      ),
    );
  const slow = thresholds
    .filter(({ value }) => value >= 0.5 && value < 1)
    .map(({ text }) =>
      found(
        'warning',
        `fires only while more than half of all requests are bad (${text})`,
        'lower the factor, and pair it with an SLO on hard failures at a high target',
      ),
    );
  const counts = comparisons(tree, expr).some(({ left, value }) => !isRatio(left) && value >= 1);
  const guard = counts
    ? []
    : [
        found(
          'warning',
          'has no guard at low traffic: one bad request of two fires it',
          'and it with a least number of bad requests',
        ),
      ];
  const single =
    thresholds.length > 1
      ? []
      : [
          found(
            'warning',
            'looks at one window only: it fires long after the incident is over',
            'and it with the same threshold over a window a twelfth as long',
          ),
        ];
  return [...dead, ...slow, ...guard, ...single];
}

interface Comparison {
  readonly left: string;
  /** The constant on the right, as written and folded. */
  readonly text: string;
  readonly value: number;
}

/** Every `… > constant` and `… >= constant` of the expression. */
function comparisons(tree: SyntaxNode, expr: string): Comparison[] {
  return nodesNamed(tree, 'BinaryExpr').flatMap((node) => {
    const [left, operator, ...rest] = childrenOf(node);
    const right = rest.at(-1);
    if (left === undefined || right === undefined) return [];
    if (operator?.name !== 'Gtr' && operator?.name !== 'Gte') return [];
    const value = constantOf(right, expr);
    if (value === null) return [];
    const text = expr.slice(right.from, right.to).replace(/^\((.*)\)$/s, '$1');
    return [{ left: expr.slice(left.from, left.to), text: printable(text), value }];
  });
}

/** A division, or a series that says it holds one. */
function isRatio(query: string): boolean {
  return /\//.test(query) || /ratio|_share|error_rate/.test(query);
}

/** The value of constant arithmetic such as `(14.4 * (1 - 0.9))`; `null` when it is none. */
function constantOf(node: SyntaxNode, expr: string): number | null {
  const children = childrenOf(node);
  switch (node.name) {
    case 'NumberDurationLiteral': {
      const value = Number(expr.slice(node.from, node.to));
      return Number.isFinite(value) ? value : null;
    }
    case 'ParenExpr':
      return children[0] === undefined ? null : constantOf(children[0], expr);
    case 'BinaryExpr': {
      const [left, operator, right] = children;
      if (left === undefined || right === undefined || operator === undefined) return null;
      const [a, b] = [constantOf(left, expr), constantOf(right, expr)];
      return a === null || b === null ? null : folded(operator.name, a, b);
    }
    default:
      return null;
  }
}

function folded(operator: string, a: number, b: number): number | null {
  switch (operator) {
    case 'Add':
      return a + b;
    case 'Sub':
      return a - b;
    case 'Mul':
      return a * b;
    case 'Div':
      return a / b;
    default:
      return null;
  }
}

/** `avg_over_time(…ratio…[30d])`, and a sum of ratios over their number. */
function meansOfRatios(tree: SyntaxNode, expr: string): string[] {
  return nodesNamed(tree, 'FunctionCall')
    .map((node) => expr.slice(node.from, node.to))
    .filter((call) => /^(?:avg|sum)_over_time\(/.test(call) && isRatio(call))
    .map((call) => printable(call.replaceAll(/\s+/g, ' '), 80));
}

function missingPeople(
  document: SpecDocument,
  path: readonly (string | number)[],
  found: Found,
): RuleFinding[] {
  const has = (names: readonly string[]): boolean =>
    names.some(
      (name) =>
        textIn(document.tree, [...path, 'labels', name]) !== null ||
        textIn(document.tree, [...path, 'annotations', name]) !== null,
    );
  const missing = [
    has(['owner', 'team']) ? [] : ['owner'],
    has(['runbook', 'runbook_url']) ? [] : ['runbook'],
    has(['rollback']) ? [] : ['rollback'],
  ].flat();
  if (missing.length === 0) return [];
  const hint = 'name them as labels or annotations of the alert';
  return [found('warning', `names no ${missing.join(', no ')}`, hint)];
}

function nodesNamed(tree: SyntaxNode, name: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  tree.cursor().iterate((node) => {
    if (node.name === name) found.push(node.node);
  });
  return found;
}

function hasError(tree: SyntaxNode): boolean {
  let broken = false;
  tree.cursor().iterate((node) => {
    broken ||= node.type.isError;
  });
  return broken;
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}
