import { describe, expect, test } from 'vitest';
import { reservationFor } from '../../../../lib/jobs/accept/job-reservation.ts';
import { FAILURE, jobResult } from '../../../support/jobs.ts';

describe('reservationFor', () => {
  test.each([1, 16, 255])('the largest usual result with %i images fits', (outputs) => {
    const ids = Array.from({ length: outputs }, (_, index) => index.toString().padStart(32, '0'));
    const { data, ...result } = jobResult(ids);
    const wordy = data.map((image) => ({ ...image, revised_prompt: 'ü'.repeat(1500) }));

    const bytes = Buffer.byteLength(JSON.stringify({ ...result, data: wordy }));

    expect(reservationFor(outputs)).toBeGreaterThan(bytes);
  });

  test('a result of failures fits', () => {
    const failures = Array.from({ length: 255 }, () => ({ index: 0, error: FAILURE }));

    expect(reservationFor(255)).toBeGreaterThan(JSON.stringify(failures).length);
  });
});
