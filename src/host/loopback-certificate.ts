/**
 * A certificate for 127.0.0.1 with a key of its own, for a server that only this process talks to.
 * X.509 by hand (RFC 5280, DER), because Node makes keys and signatures and no certificates.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Both in PEM. */
export interface LoopbackCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Self-signed, ECDSA on P-256; whoever trusts it must be given it. Unlike any made before. */
export function loopbackCertificate(): LoopbackCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = sequence(
    tagged(0, der(TAG.integer, [2])),
    der(TAG.integer, [1, ...randomBytes(15)]),
    ECDSA_WITH_SHA256,
    NAME,
    sequence(der(TAG.utcTime, ascii('250101000000Z')), der(TAG.utcTime, ascii('491231235959Z'))),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(SUBJECT_IS_LOOPBACK, SIGNS_ITSELF)),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, ECDSA_WITH_SHA256, der(TAG.bitString, [0, ...signature]));
  return {
    cert: pem(certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  context: 0xa0,
} as const;

/** One value: its tag, its length, its content. */
function der(tag: number, content: Iterable<number>): Buffer {
  const bytes = Buffer.from([...content]);
  if (bytes.length < 128) return Buffer.from([tag, bytes.length, ...bytes]);
  const length = [bytes.length >> 8, bytes.length & 255];
  return Buffer.from([tag, 0x82, ...length, ...bytes]);
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(TAG.sequence, Buffer.concat(parts));
}

function tagged(number: number, content: Uint8Array): Buffer {
  return der(TAG.context + number, content);
}

function ascii(text: string): Buffer {
  return Buffer.from(text, 'ascii');
}

/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = sequence(
  der(TAG.objectId, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]),
);

/** The common name (2.5.4.3) of subject and issuer. */
const NAME = sequence(
  der(
    TAG.set,
    sequence(der(TAG.objectId, [0x55, 0x04, 0x03]), der(TAG.utf8, ascii('goodput doctor'))),
  ),
);

/** Subject alternative name (2.5.29.17): the address 127.0.0.1. */
const SUBJECT_IS_LOOPBACK = sequence(
  der(TAG.objectId, [0x55, 0x1d, 0x11]),
  der(TAG.octetString, sequence(der(0x87, [127, 0, 0, 1]))),
);

/** Basic constraints (2.5.29.19), critical: it is its own authority. */
const SIGNS_ITSELF = sequence(
  der(TAG.objectId, [0x55, 0x1d, 0x13]),
  der(TAG.boolean, [0xff]),
  der(TAG.octetString, sequence(der(TAG.boolean, [0xff]))),
);

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
