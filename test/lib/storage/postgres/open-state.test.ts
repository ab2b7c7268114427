import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../../lib/config/load-config.ts';
import { type Clock, systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { inspectState } from '../../../../lib/storage/inspect-state.ts';
import { openStores, type Stores } from '../../../../lib/storage/open-stores.ts';
import type { ServerWarning } from '../../../../lib/storage/stores.ts';
import { query } from '../../../support/engines/postgres-server.ts';
import { newJob, WIDE } from '../../../support/jobs.ts';
import { emptySchema, HAS_POSTGRES } from '../../../support/postgres.ts';

/** Returns the ways to open and to inspect one state that no other test uses. */
async function newState({ url, schema }: { url: string; schema: string }) {
  const folder = await mkdtemp(join(tmpdir(), 'stores-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { DATABASE_URL: url };
  const ids = createIds(systemClock.nowMs);
  const warnings: ServerWarning[] = [];

  async function configOf(set: readonly string[] = []) {
    const fixed = [
      'state.driver=postgres',
      `state.postgres.schema=${schema}`,
      'replica.lease_ms=5000',
      `state.directory=${folder}`,
      `artifacts.root=${folder}/artifacts`,
    ];
    const loaded = await loadConfig({ env: {}, cwd: folder, set: [...fixed, ...set] });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
    return loaded.config;
  }
  async function openAt(clock: Clock, set: readonly string[]) {
    const onWarning = (warning: ServerWarning) => warnings.push(warning);
    const outside = { clock, ids, env, onIndexFailure: () => {}, onWarning, thread: false };
    const stores = await openStores(await configOf(set), outside);
    onTestFinished(stores.close);
    return stores;
  }

  return {
    warnings,
    openAt,
    open: (...set: readonly string[]) => openAt(systemClock, set),
    /** Opens the stores with a clock that renews the lease of `other` before each of its timers runs. */
    openBeside({ leaseRenewal }: Stores) {
      const { signal } = new AbortController();
      const after: Clock['after'] = (delayMs, run) =>
        systemClock.after(delayMs, () => void leaseRenewal.run(signal).then(run));
      return openAt({ ...systemClock, after }, []);
    },
    inspect: async () => inspectState(await configOf(), env),
  };
}

describe.runIf(HAS_POSTGRES)('openStores with state.driver = "postgres"', () => {
  it('warns about clocks that differ by more than two seconds, and about nothing otherwise', async () => {
    const { openAt, open, warnings } = await newState(await emptySchema());
    await (await open('artifacts.shared_folder=true')).close();
    expect(warnings).toEqual([]);

    const ahead = { ...systemClock, nowMs: () => Date.now() + 60_000 };
    await openAt(ahead, ['artifacts.shared_folder=true']);

    expect(warnings).toEqual([{ reason: 'clock_skew', skewMs: expect.any(Number) }]);
    expect(warnings[0]?.skewMs).toBeLessThan(-50_000);
  });

  it('warns about a database whose search index ignores letters outside ASCII', async () => {
    const { url, schema } = await emptySchema();
    const name = `plain_${schema}`;
    await query(
      url,
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
    );
    onTestFinished(async () => void (await query(url, `DROP DATABASE ${name} WITH (FORCE)`)));
    const plain = new URL(url);
    plain.pathname = `/${name}`;

    const { open, warnings } = await newState({ url: plain.href, schema });
    await (await open('artifacts.shared_folder=true')).close();

    expect(warnings).toEqual([{ reason: 'search_locale' }]);
  });

  it('opens one state for several replicas that share their files', async () => {
    const { open } = await newState(await emptySchema());
    const first = await open('artifacts.shared_folder=true');
    const second = await open('artifacts.shared_folder=true');
    const job = newJob();

    await first.jobs.submit(job, WIDE);

    expect((await second.jobs.find(job.scope, job.id))?.id).toBe(job.id);
    expect(second.secret).toEqual(first.secret);
  });

  it('rejects a second replica while the first replica is running and the files are not shared', async () => {
    const { open, openBeside } = await newState(await emptySchema());
    const first = await open();

    await expect(openBeside(first)).rejects.toThrow(/^artifacts\.shared_folder: /);
  });

  it('opens the state when the lease of a replica that was killed has ended', async () => {
    const { open } = await newState(await emptySchema());
    await open();

    const next = await open();

    expect(await next.probe()).toBe(true);
  });

  it('opens the state at once after the previous replica has stopped', async () => {
    const { open } = await newState(await emptySchema());
    await (await open('artifacts.shared_folder=true')).close();

    const next = await open();

    expect(await next.probe()).toBe(true);
  });
});

describe.runIf(HAS_POSTGRES)('inspectState with state.driver = "postgres"', () => {
  it('knows no schema before the first start, and the newest schema afterwards', async () => {
    const { open, inspect } = await newState(await emptySchema());
    const inspection = await inspect();
    const before = await inspection.schema();
    await open();
    const after = await inspection.schema();

    expect(before.present).toBeUndefined();
    expect(after.present).toBe(after.newest);
    expect(inspection.lockedFolder).toBeUndefined();
  });

  it('names the program of PostgreSQL for each command that it does not replace', async () => {
    const { inspect } = await newState(await emptySchema());
    const { check, backUp, restore } = await inspect();

    await expect(check()).rejects.toThrow(/pg_amcheck/);
    await expect(backUp('copy')).rejects.toThrow(/pg_dump/);
    await expect(restore('copy')).rejects.toThrow(/pg_restore/);
  });
});
