import { describe, expect, it } from 'vitest';
import { THEME_STYLE } from './chart-style.ts';

/** Relative luminance and contrast as WCAG 2 defines them. */
function luminance(hex: string): number {
  const full = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, '$&$&') : hex;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const themes = [...THEME_STYLE.matchAll(/(--page[^}]*)\}/g)].map(
  ([, text = '']) =>
    new Map([...text.matchAll(/--(\w+):(#\w+)/g)].map(([, name, hex]) => [name!, hex!])),
);

describe.each([
  ['light', themes[0]!],
  ['dark', themes[1]!],
])('the %s theme', (_, colours) => {
  const page = colours.get('page')!;
  it.each(['ink', 'soft', 'good', 'bad', 'doubt', 'c0'])(
    'writes %s so that it can be read',
    (name) => {
      expect(contrast(colours.get(name)!, page)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(colours.get(name)!, colours.get('panel')!)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('draws every series and mark so that it can be seen', () => {
    for (const name of ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'wait']) {
      expect(contrast(colours.get(name)!, page), name).toBeGreaterThanOrEqual(3);
    }
  });
});
