/** The keys of a fault script for people, from the schema. For docs/faults.md. */
import { faultScriptJsonSchema } from './parse-fault-script.ts';
import { defaultText, typeText, type SchemaNode } from './schema-node.ts';

/** Markdown: the keys of a script, then every kind of fault with its parameters. */
export function faultReference(): string {
  const script: SchemaNode = faultScriptJsonSchema();
  const lists = Object.entries(script.properties ?? {});
  return [
    '# Fault scripts',
    '',
    'Made from the code by `npm run generate`. What scripts are for is in the guide',
    '[emulate](guides/emulate.md); JSON Schema for editors: `schema/faults.schema.json`.',
    '',
    ...lists.flatMap(([name, list]) => [
      `## ${name}`,
      '',
      list.description ?? '',
      '',
      ...keyTable(list.items),
    ]),
    '## Kinds of fault',
    '',
    'In place of a mapping, `fault` may be a name: each of these kinds but `refuse`, with the defaults',
    'below, and four refusals: `quota429` and `bare429`, with and without word of a limit; `bare503` and',
    '`retry503`, overloaded, without and with word of when to come back. Events are counted as the',
    'server writes them, the role of a chat stream included.',
    '',
    ...kindsOf(script).flatMap((kind) => [
      `### ${String(kind.properties?.['kind']?.const)}`,
      '',
      kind.description ?? '',
      '',
      ...keyTable(kind),
    ]),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

/** A table of the keys of a mapping, and an empty line; nothing when `kind` is all there is. */
function keyTable(node: SchemaNode | undefined): string[] {
  const rows = Object.entries(node?.properties ?? {})
    .filter(([key]) => key !== 'kind')
    .map(([key, property]) => {
      const isRequired = node?.required?.includes(key) === true;
      const value = key === 'fault' ? 'name or mapping' : typeText(property);
      const cells = [
        `\`${key}\``,
        value,
        isRequired ? 'required' : defaultText(property),
        property.description ?? '',
      ];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    });
  if (rows.length === 0) return [];
  return ['| key | value | default | meaning |', '| --- | --- | --- | --- |', ...rows, ''];
}

function kindsOf(script: SchemaNode): readonly SchemaNode[] {
  const fault = script.properties?.['faults']?.items?.properties?.['fault'];
  const branches = fault?.anyOf ?? [];
  return branches.flatMap(({ oneOf, anyOf }) => oneOf ?? anyOf ?? []);
}
