import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markup, trustedMarkup } from './markup.ts';

describe('markup', () => {
  it('escapes what is not markup itself, in content and in attributes', () => {
    const evil = `"><script>alert('x')</script>`;
    expect(markup`<b title="${evil}">${evil}</b>`.text).toBe(
      '<b title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;">&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;</b>',
    );
  });

  it('joins lists, leaves markup alone and null out', () => {
    const items = ['a', 'b&'].map((name) => markup`<li>${name}</li>`);
    expect(markup`<ul>${items}${null}${trustedMarkup('<hr>')}${3}</ul>`.text).toBe(
      '<ul><li>a</li><li>b&amp;</li><hr>3</ul>',
    );
  });

  it('takes no look-alike for markup', () => {
    const forged = JSON.parse('{"text":"<script>"}') as string;
    expect(() => markup`<p>${forged}</p>`.text).toThrow();
  });

  it('refuses text where escaping would not hold it', () => {
    expect(() => markup`<a href=${'x onclick=alert(1)'}>x</a>`).toThrow(/bare inside a tag/);
    expect(() => markup`<a ${'onclick=alert(1)'}>x</a>`).toThrow(/bare inside a tag/);
  });

  it('never lets text open a tag, leave its quotes or drive a terminal', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        const { text: made } = markup`${text}`;
        // eslint-disable-next-line no-control-regex -- control characters are the point
        expect(made).not.toMatch(/[<>"'\u0000-\u001f]|&(?!(amp|lt|gt|quot|#39);)/);
      }),
    );
  });
});
