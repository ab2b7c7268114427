import { type Command, command } from './command.ts';
import { CONFIGURATION, JSON_OUTPUT } from './options.ts';

/** Commands that read and change the stored data without a service. */
export const STORED_COMMANDS: readonly Command[] = [
  command({
    name: 'state check',
    about: 'check the whole database and verify its counters',
    details: ['Can be used while the service is running. Changes nothing.'],
    options: CONFIGURATION,
    examples: [['state check', 'print one line for each problem']],
    exits: { 0: 'the database is valid', 1: 'the database is invalid or cannot be read' },
    run: async (call) => (await import('../commands/state.ts')).runStateCheck(call),
  }),
  command({
    name: 'state backup',
    about: 'copy the database',
    details: ['Can be used while the service is running. Never overwrites a file.'],
    arguments: { file: { about: 'backup file to write' } },
    options: CONFIGURATION,
    examples: [['state backup bridge-1.sqlite', 'write a copy that only its owner can read']],
    exits: { 0: 'the copy is complete', 1: 'no copy was made' },
    run: async (call) => (await import('../commands/state.ts')).runStateBackup(call),
  }),
  command({
    name: 'state restore',
    about: 'replace the database with a backup',
    details: [
      'The service must be stopped. Checks the whole backup first and keeps the replaced database.',
      'A backup does not contain images. To list missing images, use artifacts verify.',
      'Pauses the queue, because its jobs may have run since the backup. To start jobs, use queue resume.',
      'The next start deletes input images that no restored job uses.',
    ],
    arguments: { file: { about: 'backup written by state backup' } },
    options: CONFIGURATION,
    examples: [['state restore bridge-1.sqlite', 'use this backup from the next start']],
    exits: { 0: 'the database was restored', 1: 'nothing was changed' },
    run: async (call) => (await import('../commands/state.ts')).runStateRestore(call),
  }),
  command({
    name: 'state migrate',
    about: 'migrate the database to the newest schema',
    details: [
      'The service must be stopped. The service runs the same migration when it starts.',
      'Keeps a copy of the old database in the same folder.',
    ],
    options: { dryRun: { about: 'migrate and check only a copy' }, ...CONFIGURATION },
    examples: [
      ['state migrate --dry-run', 'test the migration while the service is running'],
      ['state migrate', 'migrate the database'],
    ],
    exits: { 0: 'success, or nothing to migrate', 1: 'the migration failed; nothing was changed' },
    run: async (call) => (await import('../commands/state.ts')).runStateMigrate(call),
  }),
  command({
    name: 'state move',
    about: 'move the state and all images to another database and another place for files',
    details: [
      'The service must be stopped on both sides. The target database must be empty.',
      'Copies and verifies images and rows. If the move is interrupted, use the command again.',
      'Keeps everything in the source, but pauses its queue, so that no job runs twice.',
      'Variables such as IMAGE_BRIDGE__STATE__DRIVER override both files, so they must be unset.',
    ],
    options: {
      to: {
        value: 'file',
        isRequired: true,
        about: 'configuration file of the target; its state.driver must be the other driver',
      },
      skipDamaged: { about: 'move even if images of the source are missing or damaged' },
      ...CONFIGURATION,
    },
    examples: [
      ['state move --to scaled.toml', 'move from ./image-bridge.toml to the replicas'],
      ['state move --config scaled.toml --to image-bridge.toml', 'move back'],
    ],
    exits: { 0: 'everything was moved and verified', 1: 'the target stays empty' },
    run: async (call) => (await import('../commands/state-move.ts')).runStateMove(call),
  }),
  command({
    name: 'artifacts verify',
    about: 'verify every stored image: artifacts and the input images of jobs',
    details: ['Can be used while the service is running. Changes nothing.'],
    options: { ...CONFIGURATION, ...JSON_OUTPUT },
    examples: [['artifacts verify', 'print one line for each problem']],
    exits: {
      0: 'every image is unchanged',
      1: 'an image is damaged or missing, or nothing could be checked',
    },
    run: async (call) => (await import('../commands/artifacts-verify.ts')).runArtifactsVerify(call),
  }),
  command({
    name: 'metadata show',
    about:
      'show how an image was made: its record or sidecar, its mark (IPTC), its credentials (C2PA)',
    details: [
      'Validates the credentials. Uses no network, so credentials on a server are not read.',
      'A signer is trusted only if a certificate in the file of --trust-anchors issued its certificate.',
    ],
    arguments: { file: { about: 'PNG, JPEG or WebP image, or a sidecar' } },
    options: {
      trustAnchors: { value: 'file', about: 'certificates (PEM) that make a signer trusted' },
      ...JSON_OUTPUT,
    },
    examples: [['metadata show lighthouse.png', 'print one line for each field']],
    exits: { 0: 'success', 1: 'the file has no record, mark or credentials, or cannot be read' },
    run: async (call) => (await import('../commands/metadata.ts')).runMetadataShow(call),
  }),
];
