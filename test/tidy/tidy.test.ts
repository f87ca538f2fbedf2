/** The repository tests its own shape, so that review can talk about meaning. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRoomTable, readSources, REPOSITORY, roomOf } from './rooms.ts';

const rooms = readRoomTable(readFileSync(join(REPOSITORY, 'docs/architecture.md'), 'utf8'));
const roomByName = new Map(rooms.map((room) => [room.name, room]));
const sources = readSources('src');
const product = sources.filter((file) => !file.path.endsWith('.test.ts'));

describe('the room table', () => {
  it('names every folder of src, once', () => {
    const folders = [...new Set(sources.map((file) => file.room).filter((room) => room !== null))];
    expect(rooms.map((room) => room.name).toSorted()).toEqual(folders.toSorted());
  });

  it('only points downward, so there can be no cycle', () => {
    const order = rooms.map((room) => room.name);
    for (const room of rooms) {
      for (const imported of room.mayImport) {
        expect(order.indexOf(imported), `${room.name} → ${imported}`).toBeGreaterThanOrEqual(0);
        expect(order.indexOf(imported), `${room.name} → ${imported}`).toBeLessThan(
          order.indexOf(room.name),
        );
      }
    }
  });

  it('keeps I/O rooms apart, save where they are joined', () => {
    for (const room of rooms) {
      if (!room.mayDoIo || room.name === 'cli') continue;
      const joined = room.mayImport.filter((name) => roomByName.get(name)?.mayDoIo);
      expect(joined, room.name).toEqual([]);
    }
  });
});

describe('imports between rooms', () => {
  const edges = product.flatMap((file) =>
    file.imports
      .map((target) => ({ from: file.room, to: roomOf(target), target, path: file.path }))
      .filter((edge) => edge.from !== edge.to),
  );

  it('follow the table', () => {
    const forbidden = edges.filter(
      (edge) =>
        edge.from !== null &&
        !(edge.to !== null && roomByName.get(edge.from)?.mayImport.includes(edge.to)),
    );
    expect(forbidden.map((edge) => `${edge.path} → ${edge.target}`)).toEqual([]);
  });

  it('go through the index', () => {
    const deep = edges.filter((edge) => !/^src\/[^/]+\/index\.ts$/.test(edge.target));
    expect(deep.map((edge) => `${edge.path} → ${edge.target}`)).toEqual([]);
  });
});

describe('files', () => {
  it('hold one idea: at most 400 lines', () => {
    const long = [...sources, ...readSources('test'), ...readSources('scripts')]
      .map((file) => ({ path: file.path, lines: file.text.split('\n').length }))
      .filter((file) => file.lines > 400);
    expect(long).toEqual([]);
  });

  it('have kebab-case names and none of the words that say nothing', () => {
    const banned = /(^|[-/])(utils?|helpers?|common|misc|managers?)([-./]|$)/;
    const bad = [...sources, ...readSources('test')]
      .map((file) => file.path)
      .filter(
        (path) => !/\/[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.ts$/.test(path) || banned.test(path),
      );
    expect(bad).toEqual([]);
  });

  it('open every room with a reading guide', () => {
    const missing = product
      .filter((file) => /^src\/[^/]+\/index\.ts$/.test(file.path))
      .filter((file) => !file.text.startsWith('/**'))
      .map((file) => file.path);
    expect(missing).toEqual([]);
  });

  it('declare nothing named Manager, Helper or Utils, no enum, no namespace', () => {
    const bad = product.filter((file) =>
      /^\s*(export )?(declare )?(const )?(enum|namespace) |\b(class|interface|function|const) \w*(Manager|Helper|Utils?)\b/m.test(
        file.text,
      ),
    );
    expect(bad.map((file) => file.path)).toEqual([]);
  });

  it('leave no note to self without an issue', () => {
    const bad = [...sources, ...readSources('test')].filter((file) =>
      /\b(TODO|FIXME|XXX)\b(?! ?\(#\d+\))/.test(file.text.replaceAll(/\/\\b\(.*$/gm, '')),
    );
    expect(bad.map((file) => file.path)).toEqual([]);
  });
});

describe('the record', () => {
  it('says the unit of every number last', () => {
    const units =
      /^(index|attempt|cpus)$|(Ns|[bB]ytes|[tT]okens|Count|Index|Share|Rps|Tps|Usd|Seed|Status|Version|Id|Ids|level|AtDispatch)(Max|Planned)?$/;
    const bad: string[] = [];
    for (const file of product.filter((source) => source.room === 'record')) {
      for (const match of file.text.matchAll(
        /^\s+readonly (\w+)\??: (?:readonly )?\(?number\b.*$/gm,
      )) {
        if (!units.test(match[1]!)) bad.push(`${file.path}: ${match[1]}`);
      }
    }
    expect(bad).toEqual([]);
  });
});

describe('the package', () => {
  const manifest: unknown = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));

  it('pins every dependency exactly', () => {
    const { dependencies, devDependencies } = manifest as Record<string, Record<string, string>>;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      // A suffix is exact too: `1.5.6-r.1` is the first binding of DuckDB 1.5.6.
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[a-z0-9.]+)?$/);
    }
  });

  it('carries what a reader looks for first', () => {
    for (const file of [
      'README.md',
      'AGENTS.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'LICENSE',
      'NOTICE',
    ]) {
      expect(existsSync(join(REPOSITORY, file)), file).toBe(true);
    }
  });

  it('names no download host in the lock file', () => {
    const lock = readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8');
    expect(lock).not.toMatch(/"resolved": "https?:\/\/(?!registry\.npmjs\.org)/);
  });
});
