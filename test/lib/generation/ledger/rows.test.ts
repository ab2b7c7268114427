import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import type { CallEffect } from '../../../../lib/errors/call-effect.ts';
import type { ErrorCode } from '../../../../lib/errors/codes.ts';
import { NO_COUNTS } from '../../../../lib/generation/ledger/ledger-store-port.ts';
import {
  countFailed,
  countPaid,
  type LedgerRow,
  mayFallBack,
  mayRepeat,
  paidAfter,
  restricted,
  succeededOutputs,
  sumByModel,
} from '../../../../lib/generation/ledger/rows.ts';

const row = (more: Partial<LedgerRow> = {}): LedgerRow => {
  return {
    call: 0,
    route: 0,
    provider: 'a',
    index: 0,
    progress: 'not_sent',
    paid: 'no',
    ...more,
  };
};
const failure = (code: ErrorCode, effect?: CallEffect) =>
  new BridgeError(code, 'failed', effect ? { effect } : {});

const NOT_SENT = row();
const REFUSED = row({ progress: 'ended', failure: failure('rate_limited') });
const UNKNOWN = row({ progress: 'ended', paid: 'unknown' });
const UNUSABLE = row({ progress: 'unusable', paid: 'yes', failure: failure('protocol', 'made') });
const VERIFIED = row({ progress: 'verified', paid: 'yes' });
const PUBLISHED = row({ progress: 'published', paid: 'yes' });
const LOST = row({ progress: 'lost', paid: 'yes' });
const RUNNING = row({ progress: 'sent', paid: 'unknown' });

describe('paidAfter', () => {
  it.each<[CallEffect, boolean, LedgerRow['paid']]>([
    ['not_begun', false, 'no'],
    ['nothing_made', false, 'no'],
    ['made', false, 'yes'],
    ['unknown', false, 'unknown'],
    ['not_begun', true, 'unknown'],
    ['nothing_made', true, 'unknown'],
    ['made', true, 'yes'],
    ['unknown', true, 'unknown'],
  ])(
    'returns for the effect %s, with output begun: %s, the value %s',
    (effect, outputBegan, paid) => {
      expect(paidAfter(failure('upstream', effect), outputBegan)).toBe(paid);
    },
  );
});

describe('restricted', () => {
  const retryable = new BridgeError('rate_limited', 'slow down');

  it.each([
    ['no rows', [], true, {}],
    ['nothing sent', [NOT_SENT], true, {}],
    ['a known refusal', [REFUSED], true, {}],
    ['an unknown outcome', [UNKNOWN], false, { outcome: 'unknown' }],
    ['a call that is running', [RUNNING], false, { outcome: 'unknown' }],
    ['an unusable image', [UNUSABLE], false, {}],
    ['a verified image', [VERIFIED], false, { succeeded_outputs: 1 }],
    ['a lost image', [LOST], false, { succeeded_outputs: 1 }],
    [
      'published images and an unknown outcome',
      [PUBLISHED, PUBLISHED, UNKNOWN],
      false,
      { outcome: 'unknown', succeeded_outputs: 2 },
    ],
    [
      'what an earlier route has made',
      [UNUSABLE, { ...REFUSED, route: 1, provider: 'b' }],
      false,
      {},
    ],
  ])(
    'marks a retryable error as not retryable because of any row: %s',
    (_what, rows, isRetryable, details) => {
      expect(restricted(retryable, rows)).toMatchObject({ retryable: isRetryable });
      expect(restricted(retryable, rows).details).toEqual(details);
    },
  );

  it('never makes an error retryable', () => {
    expect(restricted(failure('safety_rejected'), [NOT_SENT]).retryable).toBe(false);
  });

  it.each([
    ['nothing was sent', NOT_SENT, true],
    ['a try was sent', REFUSED, false],
  ])('decides if a timeout is retryable: %s', (_what, rows, isRetryable) => {
    const late = new BridgeError('timeout', 'late', { retryable: true });

    expect(restricted(late, [rows]).retryable).toBe(isRetryable);
  });

  it('changes nothing if it is applied twice', () => {
    const once = restricted(retryable, [UNKNOWN, LOST]);

    expect(restricted(once, [UNKNOWN, LOST])).toEqual(once);
  });
});

describe('mayRepeat', () => {
  it.each([
    [true, [NOT_SENT]],
    [true, [REFUSED]],
    [false, [UNKNOWN]],
    [false, [REFUSED, UNUSABLE]],
  ])('returns %s for the rows of a call', (expected, rows) => {
    expect(mayRepeat(rows)).toBe(expected);
  });
});

describe('mayFallBack', () => {
  const UPSTREAM = row({ progress: 'ended', failure: failure('upstream') });
  const SAFETY = row({ progress: 'ended', failure: failure('safety_rejected') });
  const STOPPED = row({ failure: failure('cancelled') });

  it.each<[string, LedgerRow[], boolean, boolean]>([
    ['refusals', [REFUSED, REFUSED], true, true],
    ['no rows', [], true, true],
    ['a refusal and an output that it has stopped', [REFUSED, STOPPED], true, true],
    ['a refusal and a failure', [REFUSED, UPSTREAM], false, true],
    ['a refusal and an unusable image', [REFUSED, UNUSABLE], false, true],
    ['a refusal and an unknown outcome', [REFUSED, UNKNOWN], false, false],
    ['a refusal and an image that could be delivered', [REFUSED, LOST], false, false],
    ['a refusal and a refusal for safety', [REFUSED, SAFETY], false, false],
  ])(
    'decides after a refusal that is reported first: %s',
    (_what, rows, onUnavailable, onError) => {
      const error = failure('rate_limited');

      expect(mayFallBack(rows, 0, error, 'on_unavailable')).toBe(onUnavailable);
      expect(mayFallBack(rows, 0, error, 'on_error')).toBe(onError);
    },
  );

  it('returns false after an unknown outcome or a usable image of an earlier route', () => {
    const refused = { ...REFUSED, route: 1 };

    for (const earlier of [UNKNOWN, LOST]) {
      expect(mayFallBack([earlier, refused], 1, failure('rate_limited'), 'on_error')).toBe(false);
    }
  });

  it('returns true after an unusable image of an earlier route, under every policy', () => {
    const rows = [UNUSABLE, { ...REFUSED, route: 1 }];

    expect(mayFallBack(rows, 1, failure('rate_limited'), 'on_unavailable')).toBe(true);
  });
});

describe('succeededOutputs', () => {
  it('counts images that could be delivered', () => {
    const rows = [NOT_SENT, REFUSED, UNKNOWN, UNUSABLE, VERIFIED, PUBLISHED, LOST];

    expect(succeededOutputs(rows)).toBe(3);
  });
});

describe('countPaid', () => {
  it('counts the paid, the lost and the unknown outputs of each provider', () => {
    const rows = [
      NOT_SENT,
      REFUSED,
      UNKNOWN,
      RUNNING,
      UNUSABLE,
      VERIFIED,
      PUBLISHED,
      LOST,
      { ...PUBLISHED, provider: 'b' },
    ];

    expect(countPaid(rows)).toMatchObject([
      { provider: 'a', images: 4, lost: 3, unknown: 2, failed: 0, tokens: undefined },
      { provider: 'b', images: 1, lost: 0, unknown: 0, failed: 0, tokens: undefined },
    ]);
  });
});

describe('sumByModel', () => {
  it('keeps the models of a provider apart, and the outputs whose model is not recorded', () => {
    const rows = ['large', 'small', undefined, 'large'].map((model) => ({ ...PUBLISHED, model }));

    expect(sumByModel(countPaid([...rows, { ...LOST, provider: 'b', model: 'large' }]))).toEqual([
      { ...NO_COUNTS, provider: 'a', model: 'large', images: 2 },
      { ...NO_COUNTS, provider: 'a', model: 'small', images: 1 },
      { ...NO_COUNTS, provider: 'a', images: 1 },
      { ...NO_COUNTS, provider: 'b', model: 'large', images: 1, lost: 1 },
    ]);
  });
});

describe('countFailed', () => {
  const failed = (rows: readonly LedgerRow[], outputs = 1) =>
    sumByModel(countFailed(rows, { outputs, last: { provider: 'last' } })).map((counts) => [
      counts.provider,
      counts.failed,
    ]);

  it.each([
    ['an output that was refused', [REFUSED], [['a', 1]]],
    ['an output without a row', [], [['last', 1]]],
    ['an output that is paid for', [UNUSABLE], []],
    ['an output of unknown outcome', [UNKNOWN], []],
    ['an output that another route has made', [REFUSED, { ...PUBLISHED, provider: 'b' }], []],
    [
      'an output that is paid for and that another route refused',
      [UNUSABLE, { ...REFUSED, provider: 'b' }],
      [['b', 1]],
    ],
  ])('counts certain failures by the last row of an output: %s', (_what, rows, expected) => {
    expect(failed(rows)).toEqual(expected);
  });

  it('ignores images that were not requested', () => {
    expect(failed([PUBLISHED, { ...UNUSABLE, index: undefined }])).toEqual([]);
  });
});
