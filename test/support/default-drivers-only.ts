/** The test files that do not run with `STORES=scaled`, each with the reason. Patterns are relative to the repository. */
export const DEFAULT_DRIVERS_ONLY: Readonly<Record<string, string>> = {
  'test/lib/storage/**': 'each driver has tests of its own, which run with the default drivers too',
  'test/local-runtime/cli/commands/state.test.ts':
    'backup, restore and the rehearsal of a migration are commands for a database file',
  'test/lib/artifacts/publication-crash.test.ts':
    'the program that the test kills opens a database file',
  'test/lib/webhooks/webhook-deliveries.test.ts':
    'its manual clock assumes that a store replies within one turn of the event loop',
};
