import { deserialize, serialize } from 'node:v8';
import { ByteParts } from '../../platform/byte-parts.ts';
import type { StoredOutcome } from '../../replay/replay-store-port.ts';

type Bytes = ByteParts | Uint8Array;

/** Encodes an outcome for the database. `ByteParts` become one `Uint8Array`, which a structured clone copies. */
export function encodeOutcome(outcome: StoredOutcome): Buffer {
  return serialize(mapBytes(outcome, toPlainBytes));
}

/** Decodes an outcome that `encodeOutcome` has encoded. */
export function decodeOutcome(stored: Buffer): StoredOutcome {
  return mapBytes(deserialize(stored), toByteParts) as StoredOutcome;
}

function toPlainBytes(bytes: Bytes): Bytes {
  if (!(bytes instanceof ByteParts)) return bytes;
  const { buffer, byteOffset, byteLength } = bytes.toBuffer();
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function toByteParts(bytes: Bytes): Bytes {
  if (bytes instanceof ByteParts) return bytes;
  const { buffer, byteOffset, byteLength } = bytes;
  return new ByteParts([Buffer.from(buffer, byteOffset, byteLength)]);
}

/** Returns a copy of a plain value with other bytes. */
function mapBytes(value: unknown, change: (bytes: Bytes) => Bytes): unknown {
  if (value instanceof ByteParts || value instanceof Uint8Array) return change(value);
  if (Array.isArray(value)) return value.map((item) => mapBytes(item, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, mapBytes(member, change)]);
  return Object.fromEntries(entries);
}
