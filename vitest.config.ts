import { defineConfig } from 'vitest/config';

/**
 * Three projects so that a quick loop stays quick:
 * `unit` (sources and laws, no sockets), `repo` (the repository tests itself),
 * `e2e` (the built command and real sockets on loopback, two files at a time: they mostly wait for
 * loads to end, and none holds a time against anything).
 *
 * Files of `unit` and `repo` share their modules: no module keeps what one test could leave to the
 * next, and loading them anew for each file was two fifths of the time.
 */
export default defineConfig({
  test: {
    reporters: ['default', './scripts/count-reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'test/{facts,laws,conformance,recorded,golden}/**/*.test.ts',
          ],
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'repo',
          include: ['test/{tidy,docs}/**/*.test.ts'],
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          maxConcurrency: 4,
          testTimeout: 180_000,
        },
      },
    ],
  },
});
