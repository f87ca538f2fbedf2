#!/usr/bin/env node
/**
 * The command. Checks the Node version before anything else is loaded, so that an old Node gives a
 * sentence instead of a syntax error.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `goodput needs Node 20.19 or later; this is ${process.versions.node} [E_NODE_VERSION]\n` +
      '  hint: install a current Node, or run it with `npx -p node@24 goodput …`\n',
  );
  process.exitCode = 5;
} else {
  const { runCommandLine } = await import('./command-line.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
