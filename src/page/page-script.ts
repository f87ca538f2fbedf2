/**
 * What scripts add to a page that is whole without them: the theme switch, and each chart as a
 * file. Plain script text, because the page is one file and nothing is fetched.
 */
export const PAGE_SCRIPT = `
'use strict';
const root = document.documentElement;
root.dataset.scripts = '';
const isDark = () => (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
for (const button of document.querySelectorAll('[data-action=theme]')) {
  button.addEventListener('click', () => { root.dataset.theme = isDark() ? 'light' : 'dark'; });
}
const save = (href, name) => {
  const link = document.createElement('a');
  link.href = href; link.download = name; link.click();
};
const svgText = (svg) => {
  const copy = svg.cloneNode(true);
  const box = svg.viewBox.baseVal;
  copy.setAttribute('width', box.width * 2); copy.setAttribute('height', box.height * 2);
  const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
  style.textContent = document.querySelector('style').textContent;
  const page = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  page.setAttribute('width', '100%'); page.setAttribute('height', '100%'); page.setAttribute('fill', 'var(--page)');
  copy.prepend(style, page);
  if (root.dataset.theme) copy.dataset.theme = root.dataset.theme;
  return new XMLSerializer().serializeToString(copy);
};
const svgHref = (svg) => 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svgText(svg));
for (const button of document.querySelectorAll('[data-save]')) {
  button.addEventListener('click', () => {
    const svg = button.closest('figure').querySelector('svg');
    const name = button.dataset.name;
    if (button.dataset.save === 'svg') return save(svgHref(svg), name + '.svg');
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement('canvas');
      canvas.width = image.width; canvas.height = image.height;
      canvas.getContext('2d').drawImage(image, 0, 0);
      save(canvas.toDataURL('image/png'), name + '.png');
    };
    image.src = svgHref(svg);
  });
}
addEventListener('beforeprint', () => {
  for (const part of document.querySelectorAll('details[data-print]')) part.open = true;
});
`;
