import { type Command, command } from './command.ts';
import { CONFIGURATION, JSON_OUTPUT } from './configuration-options.ts';

/** What reads and changes the stored data without a service. */
export const STORED_COMMANDS: readonly Command[] = [
  command({
    name: 'state check',
    about: 'read the whole database and compare its counters with a recount',
    details: ['The bridge may be running. Changes nothing.'],
    options: CONFIGURATION,
    examples: [['state check', 'prints one line for each finding']],
    exits: { 0: 'the state is valid', 1: 'it is not, or cannot be read' },
    load: async () => (await import('../commands/state.ts')).runStateCheck,
  }),
  command({
    name: 'state backup',
    about: 'copy the database while the bridge runs',
    details: ['Never overwrites a file.'],
    arguments: { file: { about: 'the copy' } },
    options: CONFIGURATION,
    examples: [['state backup bridge-1.sqlite', 'writes a copy for its owner alone']],
    exits: { 0: 'the copy is complete', 1: 'no copy was made' },
    load: async () => (await import('../commands/state.ts')).runStateBackup,
  }),
  command({
    name: 'state restore',
    about: 'put a backup in the place of the database, while the bridge is stopped',
    details: [
      'The backup is read in full first. The replaced database is kept beside it.',
      'Stored images are not part of a backup: artifacts verify lists those that are missing.',
      'The queue is paused: the original may have run its jobs since. queue resume starts them.',
      'The next start removes the input images that no restored job came with.',
    ],
    arguments: { file: { about: 'what state backup has written' } },
    options: CONFIGURATION,
    examples: [['state restore bridge-1.sqlite', 'the next start serves what the file holds']],
    exits: { 0: 'the state is restored', 1: 'nothing was changed' },
    load: async () => (await import('../commands/state.ts')).runStateRestore,
  }),
  command({
    name: 'state migrate',
    about: 'bring the database to the newest schema, while the bridge is stopped',
    details: ['A start does the same. A copy of the database is kept beside it.'],
    options: { dryRun: { about: 'migrates a copy and checks it instead' }, ...CONFIGURATION },
    examples: [
      ['state migrate --dry-run', 'tries it before an upgrade, while the bridge runs'],
      ['state migrate', 'does it'],
    ],
    exits: { 0: 'done, or nothing was to be done', 1: 'it failed; nothing was changed' },
    load: async () => (await import('../commands/state.ts')).runStateMigrate,
  }),
  command({
    name: 'artifacts verify',
    about: 'check every stored image in full: artifacts, and the inputs of jobs',
    details: ['The bridge may be running. Changes nothing.'],
    options: { ...CONFIGURATION, ...JSON_OUTPUT },
    examples: [['artifacts verify', 'prints one line for each problem']],
    exits: {
      0: 'every image is as it was stored',
      1: 'one is not, or nothing could be checked',
    },
    load: async () => (await import('../commands/artifacts-verify.ts')).runArtifactsVerify,
  }),
  command({
    name: 'metadata show',
    about: 'print how an image was made, from its own record or its sidecar',
    arguments: { file: { about: 'a PNG, JPEG or WebP image, or a sidecar' } },
    options: JSON_OUTPUT,
    examples: [['metadata show lighthouse.png', 'prints one line a field']],
    exits: { 0: 'done', 1: 'the file has no record, or cannot be read' },
    load: async () => (await import('../commands/metadata.ts')).runMetadataShow,
  }),
];
