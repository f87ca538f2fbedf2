/** A part of a page that its bar links to. */
import { markup, type Markup } from '../../base/index.ts';

export interface Section {
  readonly id: string;
  readonly name: string;
  readonly body: Markup;
}

export function sectionMarkup({ id, name, body }: Section): Markup {
  return markup`<section id="${id}" aria-labelledby="${`${id}-h`}"><h2 id="${`${id}-h`}">${name}</h2>${body}</section>
`;
}
