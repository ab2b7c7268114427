import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../../lib/config/values/nearest-name.ts';

const NAMES = ['bind', 'bearer_token_env', 'tokens_file', 'jobs', 'mcp'];

describe('nearestName', () => {
  it.each([
    ['bnid', 'bind'],
    ['bindd', 'bind'],
    ['bin', 'bind'],
    ['token_file', 'tokens_file'],
    ['bearer_token', undefined],
    ['speed', undefined],
    ['', undefined],
  ])('suggests a name for the typo %j: %j', (typed, name) => {
    expect(nearestName(typed, NAMES)).toBe(name);
  });
});
