import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIds } from '../../../../../lib/platform/ids.ts';
import {
  type Connection,
  connect,
  IN_MEMORY,
} from '../../../../../lib/storage/sqlite/connection.ts';
import { openStateDatabase } from '../../../../../lib/storage/sqlite/database.ts';
import { bound, listSql } from '../../../../../lib/storage/sqlite/jobs/job-list.ts';
import { createJobStore } from '../../../../../lib/storage/sqlite/jobs/job-store.ts';
import { migrate } from '../../../../../lib/storage/sqlite/migrations.ts';
import {
  describeJobLists,
  FACT_FILTERS,
  FILTERS,
  GROUP_FILTERS,
  LABEL_FILTERS,
} from '../../../../contracts/job-list.ts';

/** The steps that find the newest retry of each job of the page. */
const RETRY_STEPS = [
  'SEARCH retry USING INTEGER PRIMARY KEY (rowid=?)',
  'SEARCH content USING COVERING INDEX job_retries (retry_of=?)',
  'SEARCH own USING INTEGER PRIMARY KEY (rowid=?)',
];

describe('listSql', () => {
  let connection: Connection;

  beforeEach(() => {
    connection = connect(IN_MEMORY);
    migrate(connection);
  });
  afterEach(() => {
    connection.close();
  });

  test.each(FILTERS.map((filter) => [JSON.stringify(filter), filter] as const))(
    'under %s no table is scanned and nothing is sorted',
    (_, filter) => {
      const steps = connection
        .prepare(`EXPLAIN QUERY PLAN ${listSql(filter)}`)
        .all({ scope: 's', provider: filter.provider, edge: 9, limit: 1 })
        .map((row) => String(Object(row).detail));

      const found = steps.filter((step) => /SEARCH|SCAN|TEMP/.test(step));
      const searches = found.slice(0, -RETRY_STEPS.length);
      expect(found.slice(searches.length)).toEqual(RETRY_STEPS);
      expect(searches[0]).toBe('SEARCH job USING INTEGER PRIMARY KEY (rowid=?)');
      const [index, first] =
        filter.provider === undefined
          ? ['job_list', 'scope=?']
          : ['job_list_of_provider', 'scope=? AND provider=?'];
      expect(new Set(searches.slice(1))).toEqual(
        new Set([
          `SEARCH job USING COVERING INDEX ${index} (${first} AND status=? AND favorite=? AND <expr>=? AND seq<?)`,
        ]),
      );
    },
  );

  const indexed = FACT_FILTERS.filter(({ label, group }) => (label ?? group) === undefined);
  test.each(indexed.map((filter) => [JSON.stringify(filter), filter] as const))(
    'under %s only the index of facts is read, and nothing is sorted',
    (_, filter) => {
      const steps = connection
        .prepare(`EXPLAIN QUERY PLAN ${listSql(filter)}`)
        .all({ ...bound(filter), scope: 's', edge: 9, limit: 1 })
        .map((row) => String(Object(row).detail));

      expect(steps.filter((step) => /SCAN|TEMP/.test(step))).toEqual([]);
      expect(steps).toContainEqual(
        expect.stringMatching(/^SEARCH job USING INDEX job_facts \(scope=\? AND seq<\?\)/),
      );
    },
  );

  test.each(GROUP_FILTERS.map((filter) => [JSON.stringify(filter), filter] as const))(
    'under %s only the jobs of the group are read, and nothing is sorted',
    (_, filter) => {
      const steps = connection
        .prepare(`EXPLAIN QUERY PLAN ${listSql(filter)}`)
        .all({ ...filter, scope: 's', edge: 9, limit: 1 })
        .map((row) => String(Object(row).detail));

      expect(steps.filter((step) => /SCAN|TEMP/.test(step))).toEqual([]);
      expect(steps).toContainEqual(
        expect.stringMatching(/INDEX job_group \(scope=\? AND group_id=\? AND seq<\?\)/),
      );
    },
  );

  test.each(LABEL_FILTERS.map((filter) => [JSON.stringify(filter), filter] as const))(
    'under %s only the jobs with the label are read, and nothing is sorted',
    (_, filter) => {
      const steps = connection
        .prepare(`EXPLAIN QUERY PLAN ${listSql(filter)}`)
        .all({ ...filter, scope: 's', edge: 9, limit: 1 })
        .map((row) => String(Object(row).detail));

      expect(steps.filter((step) => /SEARCH|SCAN|TEMP/.test(step))).toEqual([
        'SEARCH job USING INTEGER PRIMARY KEY (rowid=?)',
        'SEARCH job_label USING PRIMARY KEY (scope=? AND label=? AND seq<?)',
        'SEARCH job USING INTEGER PRIMARY KEY (rowid=?)',
        ...RETRY_STEPS,
      ]);
    },
  );
});

describe('listSql, oldest first', () => {
  const connection = connect(IN_MEMORY);
  migrate(connection);

  test.each(
    [...FILTERS, ...FACT_FILTERS, ...GROUP_FILTERS, ...LABEL_FILTERS].map(
      (filter) => [JSON.stringify(filter), filter] as const,
    ),
  )('under %s no table is scanned and nothing is sorted', (_, filter) => {
    const steps = connection
      .prepare(`EXPLAIN QUERY PLAN ${listSql(filter, 'oldest')}`)
      .all({ ...bound(filter), scope: 's', edge: 9, limit: 1 })
      .map((row) => String(Object(row).detail));

    expect(steps.filter((step) => /SCAN|TEMP/.test(step))).toEqual([]);
    expect(steps).toContainEqual(expect.stringMatching(/^SEARCH .*seq>\?\)/));
  });
});

describeJobLists(
  'SQLite in memory',
  async () => {
    const database = openStateDatabase({ file: IN_MEMORY, ids: createIds(() => 0) });
    return { store: createJobStore(database), close: database.close };
  },
  40,
);
