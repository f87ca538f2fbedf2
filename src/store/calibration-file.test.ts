import { expect, it } from 'vitest';
import { calibrationOf, runCalibrationOf } from '../../test/support/calibration-builder.ts';
import { manifestOf } from '../../test/support/manifest-builder.ts';
import { parseCalibration } from './calibration-file.ts';
import { parseManifest } from './manifest-shape.ts';

const problemsOf = (text: string) => {
  const parsed = parseCalibration(text, 'c.json');
  return 'kind' in parsed ? [] : parsed.map(({ code, message }) => `${code} ${message}`);
};

it('reads back what was written', () => {
  const calibration = calibrationOf();
  expect(parseCalibration(JSON.stringify(calibration), 'c.json')).toEqual(calibration);
});

it('says what is wrong with what was not', () => {
  const other = 'E_CALIBRATION_FORMAT this is not what `goodput doctor` writes';
  expect(problemsOf('{')).toEqual([other]);
  expect(problemsOf('{"kind":"somethingElse"}')).toEqual([other]);
  expect(problemsOf(JSON.stringify({ ...calibrationOf(), schemaVersion: 2 }))).toEqual([
    'E_CALIBRATION_FORMAT the calibration is of format 2, and this version reads 1',
  ]);
  const { stampAge: _gone, ...cut } = calibrationOf();
  const problems = problemsOf(JSON.stringify({ ...cut, loopUtilisationShare: 7 }));
  expect(problems).toHaveLength(2);
  expect(problems.join()).toMatch(/stampAge: .*loopUtilisationShare: /);
});

it('is kept by a manifest, and not missed by one of before', () => {
  const manifest = { ...manifestOf(), calibration: runCalibrationOf({}, ['node']) };
  expect(parseManifest(JSON.stringify(manifest), 'm.json')).toMatchObject({
    calibration: manifest.calibration,
  });
  const { calibration: _none, ...old } = manifest;
  expect(parseManifest(JSON.stringify(old), 'm.json')).toMatchObject({ calibration: null });
});
