import { describe, expect, it } from 'vitest';
import {
  findOrigins,
  splitOrigins,
} from '../../../../dashboard/src/system/configuration/find-origins.ts';

const ORIGINS = [
  { field: 'version', source: 'default' },
  { field: 'server.bind', source: 'override' },
  { field: 'server.jobs.max_running', source: 'default' },
  { field: 'server.jobs.max_retained', source: 'file' },
] as const;

describe('splitOrigins', () => {
  it('separates changed settings from defaults, in the order of the settings', () => {
    const { changed, untouched } = splitOrigins(ORIGINS);

    expect(changed.map(({ field }) => field)).toEqual(['server.bind', 'server.jobs.max_retained']);
    expect(untouched.map(({ field }) => field)).toEqual(['version', 'server.jobs.max_running']);
  });
});

describe('findOrigins', () => {
  it.each([
    ['', ['server.bind', 'server.jobs.max_retained', 'version', 'server.jobs.max_running']],
    ['JOBS', ['server.jobs.max_retained', 'server.jobs.max_running']],
    [' max  jobs run', ['server.jobs.max_running']],
    ['.*', []],
  ])('finds %j', (search, fields) => {
    expect(findOrigins(ORIGINS, search).map(({ field }) => field)).toEqual(fields);
  });
});
