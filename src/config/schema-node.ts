/** JSON Schema, as far as references for people are made from it. */

/** The parts of a JSON Schema node that the reference reads. */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly (string | number | boolean)[];
  readonly const?: string | number | boolean;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly $ref?: string;
}

/** What may be written there, in Markdown. */
export function typeText(node: SchemaNode): string {
  if (node.enum !== undefined) return node.enum.map((word) => `\`${String(word)}\``).join(', ');
  if (node.const !== undefined) return `\`${String(node.const)}\``;
  if (node.anyOf !== undefined) return [...new Set(node.anyOf.map(typeText))].join(' or ');
  if (node.type === 'array')
    return `list of ${node.items === undefined ? 'values' : typeText(node.items)}`;
  if (typeof node.type === 'object') return node.type.map(typeName).join(' or ');
  return typeName(node.type ?? 'value');
}

function typeName(type: string): string {
  switch (type) {
    case 'object':
      return 'mapping';
    case 'string':
      return 'text';
    case 'integer':
      return 'whole number';
    case 'boolean':
      return '`true`, `false`';
    default:
      return type;
  }
}

/** The default, in Markdown; empty where there is none to show. */
export function defaultText({ default: value }: SchemaNode): string {
  return value === undefined || typeof value === 'object' ? '' : `\`${JSON.stringify(value)}\``;
}
