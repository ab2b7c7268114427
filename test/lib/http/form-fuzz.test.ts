import { describe, expect, it } from 'vitest';
import { sha256, streamForm } from '../../support/echo-form.ts';
import { BOUNDARY, formBytes, inChunks, joined } from '../../support/form-bytes.ts';
import { createSeeded, type Seeded } from '../../support/seeded.ts';

const BODIES = 5000;

const valid = formBytes([
  { name: 'title', content: 'a book' },
  {
    name: 'page',
    filename: '1.png',
    type: 'image/png',
    content: '\r\n--\r\n\r\n----form-of-a-tes',
  },
  { name: 'note', content: 'größer' },
  { name: 'extra', content: '{"a":[1]}' },
  { name: 'cover', filename: 'c', content: 'x'.repeat(300) },
  { name: 'page[]', filename: '2', content: '' },
]);

const SPLICES = [
  '\r\n',
  '\r',
  '\n',
  '\r\n\r\n',
  '--',
  '\0',
  '"',
  `--${BOUNDARY}`,
  `\r\n--${BOUNDARY}`,
  `\r\n--${BOUNDARY}\r\n`,
  `\r\n--${BOUNDARY}--`,
  'Content-Disposition: form-data; name="page"; filename="x"\r\n',
  'Content-Type: multipart/mixed; boundary=b\r\n',
] as const;

type Damage = (body: Buffer, seeded: Seeded) => Buffer;

const damages: readonly [Damage, ...Damage[]] = [
  function flip(body, { next }) {
    const changed = Buffer.from(body);
    changed[next(body.length)] = next(256);
    return changed;
  },
  function cut(body, { next }) {
    const [from, to] = [next(body.length), next(body.length)].sort((a, b) => a - b);
    return joined([body.subarray(0, from), body.subarray(to)]);
  },
  function end(body, { next }) {
    return body.subarray(0, next(body.length));
  },
  function repeat(body, { next }) {
    const [from = 0, to] = [next(body.length), next(body.length)].sort((a, b) => a - b);
    return joined([body.subarray(0, to), body.subarray(from)]);
  },
  function splice(body, { next, pick }) {
    const at = next(body.length);
    return joined([body.subarray(0, at), pick(SPLICES), body.subarray(at)]);
  },
  function damageLineEnds(body, { next, pick }) {
    const by = pick(['\n', '\r', '\r\n\r\n', '']);
    const lines = body.toString('latin1').split('\r\n');
    return Buffer.from(
      lines
        .map((line, at) => line + (at + 1 === lines.length || next(8) > 0 ? '\r\n' : by))
        .join(''),
      'latin1',
    );
  },
];

function damaged(seeded: Seeded): Buffer {
  let body = valid;
  for (let times = seeded.next(4); times >= 0; times -= 1) {
    if (body.length > 0) body = seeded.pick(damages)(body, seeded);
  }
  return body;
}

describe('formBody under fuzz', () => {
  it(`replies to ${BODIES} damaged forms, each whole or as a client's error`, async () => {
    const seeded = createSeeded(20_250_101);
    const statuses = new Map<number, number>();
    const odd: unknown[] = [];

    for (let count = 0; count < BODIES; count += 1) {
      const body = damaged(seeded);
      const longest = seeded.pick([1, 5, 40, 400, 10_000]);
      const chunks = inChunks(body, () => 1 + seeded.next(longest));
      const headers = seeded.next(2) ? { 'content-length': String(body.length) } : {};
      const { status, json } = await streamForm(chunks, body.length > 0 ? headers : {});
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const isValid =
        status === 200 ||
        ([400, 413, 415, 422].includes(status) &&
          (json as { error: { code: unknown } }).error.code === 'invalid_request');
      if (!isValid) odd.push({ count, status, json });
    }

    expect(odd).toEqual([]);
    // Most damage is found and some is harmless. Finding only one kind means that the test checks nothing.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 422]));
  });

  it('sends the same reply for every division of a damaged form into chunks', async () => {
    const seeded = createSeeded(7);

    for (let count = 0; count < 500; count += 1) {
      const body = joined([damaged(seeded), '.']);
      const headers = { 'x-request-id': 'same' };

      const whole = await streamForm([body], headers);
      const pieces = await streamForm(
        inChunks(body, () => 1 + seeded.next(9)),
        headers,
      );

      expect(pieces).toEqual(whole);
    }
  });

  it('returns every content unchanged, even if it resembles a delimiter', async () => {
    const seeded = createSeeded(99);

    for (let count = 0; count < 300; count += 1) {
      const delimiter = `\r\n--${BOUNDARY}`;
      const content = joined(
        Array.from({ length: seeded.next(12) }, () =>
          seeded.next(3) === 0
            ? Buffer.from(Array.from({ length: seeded.next(20) }, () => seeded.next(256)))
            : delimiter.slice(0, seeded.next(delimiter.length)),
        ),
      );
      const body = formBytes([
        { name: 'title', content: 't' },
        { name: 'page', filename: 'p', content },
      ]);

      const { json } = await streamForm(inChunks(body, () => 1 + seeded.next(70)));

      // By chance, pieces may complete a delimiter between them.
      if (!content.includes(delimiter)) expect(json).toMatchObject({ page: [sha256(content)] });
    }
  });
});
