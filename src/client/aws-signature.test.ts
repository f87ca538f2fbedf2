/** Against AWS's published test suite and examples, with their credentials, which open nothing. */
import { expect, test } from 'vitest';
import { awsSignature, type AwsKey } from './aws-signature.ts';
import type { HttpRequest } from './transport.ts';

const KEY: AwsKey = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
  region: 'us-east-1',
  service: 'service',
};
const AT = Date.UTC(2015, 7, 30, 12, 36);
const HOST = 'example.amazonaws.com';
const GET: HttpRequest = { method: 'GET', path: '/', headers: {}, body: null };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

test.each([
  ['get-vanilla', GET, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    { ...GET, path: '/?Param2=value2&Param1=value1' },
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-vanilla-empty-query-key',
    { ...GET, path: '/?Param1=value1' },
    'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  ],
  [
    'get-vanilla-utf8-query',
    { ...GET, path: '/?%E1%88%B4=bar' },
    '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  ],
  [
    'post-vanilla',
    { ...GET, method: 'POST' },
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'post-x-www-form-urlencoded',
    { ...GET, method: 'POST', headers: FORM, body: 'Param1=value1' },
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
] as const)('%s', (_name, request, signature) => {
  const { authorization } = awsSignature(request, HOST, KEY, AT);
  expect(authorization).toMatch(new RegExp(`Signature=${signature}$`));
});

test('the documented example of IAM', () => {
  const request = {
    ...GET,
    path: '/?Action=ListUsers&Version=2010-05-08',
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
  };
  expect(awsSignature(request, 'iam.amazonaws.com', { ...KEY, service: 'iam' }, AT)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, ' +
      'SignedHeaders=content-type;host;x-amz-date, ' +
      'Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  });
});

test('the colon of a Bedrock model is encoded once in the path and twice in what is signed', () => {
  const request: HttpRequest = {
    method: 'POST',
    path: '/model/anthropic.claude-3-5-sonnet-20241022-v2%3A0/converse',
    headers: { accept: 'x', 'content-type': 'application/json' },
    body: '{"messages":[]}',
  };
  const key = { ...KEY, service: 'bedrock' };
  const at = Date.UTC(2023, 10, 14, 22, 13, 20);
  // As aws4 1.13.2 signs it.
  expect(
    awsSignature(request, 'bedrock-runtime.us-east-1.amazonaws.com', key, at)['authorization'],
  ).toMatch(/Signature=0ad88e4abe4e64d4819960b6dade4f9f5bde0d8f9c793485f4568bb67ca74b65$/);
});

test('a name of the query is signed before those that are longer', () => {
  // As botocore signs it.
  expect(awsSignature({ ...GET, path: '/?a1=1&a=2' }, HOST, KEY, AT)['authorization']).toMatch(
    /Signature=b6ded005b61bae61cf903101a11c723f58ce459ef1045941e6614cc776d6556e$/,
  );
});

test('the token of a session is sent and signed', () => {
  const headers = awsSignature(GET, HOST, { ...KEY, sessionToken: 'T' }, AT);
  expect(headers).toMatchObject({ 'x-amz-security-token': 'T' });
  expect(headers['authorization']).toMatch(/SignedHeaders=host;x-amz-date;x-amz-security-token,/);
});
