import { expect, it } from 'vitest';
import { FakeTerminal } from '../../test/support/fake-terminal.ts';
import { StatusBlock } from './status-block.ts';

function blockOn(terminal: FakeTerminal): StatusBlock {
  return new StatusBlock({ write: terminal.write, columns: () => terminal.width });
}

it('draws again in place, shorter lines and fewer of them too', () => {
  const terminal = new FakeTerminal(40);
  const block = blockOn(terminal);
  block.draw(['a long first line', 'second', 'third']);
  block.draw(['short', '2']);
  expect(terminal.screen).toEqual(['short', '2']);
});

it('makes room for what stays, and comes back under it', () => {
  const terminal = new FakeTerminal(40);
  const block = blockOn(terminal);
  block.write('plan\n');
  block.draw(['status', '50 %']);
  block.write('note: slow\n');
  expect(terminal.screen).toEqual(['plan', 'note: slow']);
  block.draw(['status', '60 %']);
  expect(terminal.screen).toEqual(['plan', 'note: slow', 'status', '60 %']);
});

it('leaves nothing behind, however often it is cleared', () => {
  const terminal = new FakeTerminal(40);
  const block = blockOn(terminal);
  block.clear();
  block.draw(['one', 'two']);
  block.clear();
  block.clear();
  block.write('report\n');
  expect(terminal.screen).toEqual(['report']);
});

it('finds its lines again in a window made narrower', () => {
  const terminal = new FakeTerminal(60);
  const block = blockOn(terminal);
  block.write('plan\n');
  block.draw(['a'.repeat(50), 'b'.repeat(45), 'c']);
  terminal.resize(20);
  block.draw(['narrow', 'now']);
  expect(terminal.screen).toEqual(['plan', 'narrow', 'now']);
});

it('counts no columns for colours', () => {
  const terminal = new FakeTerminal(20);
  const block = blockOn(terminal);
  block.write('plan\n');
  block.draw([`\u001b[32m${'g'.repeat(18)}\u001b[39m`, 'x']);
  block.draw(['y', 'z']);
  expect(terminal.screen).toEqual(['plan', 'y', 'z']);
});

it('changes no mode of the terminal and draws in one write', () => {
  const terminal = new FakeTerminal(40);
  blockOn(terminal).draw(['one', 'two']);
  expect(terminal.writes).toHaveLength(1);
  expect(terminal.writes[0]).not.toContain('[?');
});
