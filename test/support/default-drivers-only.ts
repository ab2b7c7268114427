/** The test files that do not run with `STORES=scaled`, each with the reason. Patterns are relative to the repository. */
export const DEFAULT_DRIVERS_ONLY: Readonly<Record<string, string>> = {
  'test/lib/storage/**': 'each driver has tests of its own, which run with the default drivers too',
  'test/lib/{artifacts/{artifact-names,shared-work},jobs/{live-jobs,queue-places}}.test.ts':
    'uses no store',
  'test/lib/webhooks/{post-webhook,webhook-secrets,webhook-targets}.test.ts': 'uses no store',
  'test/local-runtime/cli/commands/state.test.ts':
    'backup, restore and the rehearsal of a migration are commands for a database file',
  'test/lib/artifacts/publication-crash.test.ts':
    'the program that the test kills opens a database file',
  'test/e2e/money/ledger.property.test.ts':
    'its processes end within one process, and PostgreSQL would keep their leases; ledger-kills.test.ts kills processes',
  'test/e2e/providers/agent-app-server*.test.ts':
    'the configuration rejects the app server of the agent with PostgreSQL, because threads are files of one machine',
  'test/e2e/providers/agent-real.test.ts': 'starts the app server of the agent',
  'test/e2e/operations/start-on-folders.test.ts':
    'the start is rejected because of a database file, an artifact folder or the lock of a state directory',
  'test/e2e/operations/activation-lock.test.ts':
    'replicas need no lock, because each of them serves all requests',
  'test/e2e/operations/handoffs.test.ts':
    'a handoff replaces the only process of a state directory; replicas.test.ts replaces one replica after the other',
  'test/e2e/operations/artifacts.test.ts':
    'unmounts, protects and removes the artifact folder; bucket-outage.test.ts has the faults of a bucket',
  'test/e2e/operations/backup.test.ts': 'backup is a command for a database file',
  'test/e2e/operations/made-files.test.ts':
    'checks the permissions of the files of a state directory',
  'test/e2e/operations/internal-failures.test.ts': 'damages a database file',
  'test/e2e/operations/storage-thread.test.ts': 'only SQLite has storage threads',
  'test/e2e/operations/bucket-outage.test.ts': 'selects its bucket itself',
  'test/e2e/operations/database-{failover,outage}.test.ts': 'selects PostgreSQL itself',
  'test/{browser,e2e/operations}/replicas.test.ts': 'selects PostgreSQL and a bucket itself',
  'test/e2e/jobs/replica-kills.test.ts': 'selects PostgreSQL itself',
  'test/e2e/providers/shared-login-kills.test.ts': 'selects PostgreSQL itself',
};
