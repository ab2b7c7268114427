import { describe, expect, it } from 'vitest';
import { toFailureText } from '../../../dashboard/src/text/failure-text.ts';

type Failure = Parameters<typeof toFailureText>[0];

const failure = (code: Failure['code'], details: Failure['details'] = {}, retryable = true) => ({
  code,
  details,
  retryable,
  message: '',
});

describe('toFailureText', () => {
  it.each([
    [failure('overloaded'), 'The queue is full'],
    [failure('overloaded', { reason: 'circuit_open' }), 'Paused after failures'],
    [failure('overloaded', { reason: 'state_store_full' }), 'The disk of the bridge is full'],
    [
      failure('overloaded', { reason: 'state_store_read_only' }),
      'The bridge cannot write to its folder',
    ],
    [failure('artifact', { reason: 'changed' }), 'The image file is missing or changed'],
    [failure('artifact', { reason: 'artifact_folder_full' }), 'The disk for images is full'],
    [
      failure('artifact', { reason: 'artifact_folder_unusable' }),
      'The bridge cannot use its image folder',
    ],
    [failure('cancelled'), 'Cancelled'],
    [failure('cancelled', { reason: 'interrupted' }), 'Interrupted'],
    [failure('authentication'), 'Needs a login or an API key'],
    [failure('rate_limited'), 'Too many requests'],
    [failure('rate_limited', { reason: 'quota' }), 'The quota of the account is used up'],
  ])('returns the title of the failure', (given, title) => {
    expect(toFailureText(given, 0).title).toBe(title);
  });

  it('counts a wait from the time of the failure', () => {
    expect(toFailureText(failure('rate_limited', { retry_after_ms: 38_000 }), 1000).after).toBe(
      39_000,
    );
  });

  it('offers no repeat if the image may have been made and paid for', () => {
    const words = toFailureText(failure('upstream', { outcome: 'unknown' }), 0);

    expect(words.mayRepeat).toBe(false);
    expect(words.text).toBe('The image may have been made and charged for.');
  });

  it('offers a repeat if the request can be repeated', () => {
    expect(toFailureText(failure('timeout'), 0).mayRepeat).toBe(true);
    expect(toFailureText(failure('safety_rejected', {}, false), 0).mayRepeat).toBe(false);
  });
});
