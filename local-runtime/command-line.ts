import type { CommandIo } from './command-io.ts';
import { packageVersion } from './package-version.ts';

type Command = (argv: readonly string[], io: CommandIo) => Promise<number>;

interface Row {
  readonly usage: string;
  readonly about: string;
  /** Loaded when it is called: a check of the configuration needs no image library. */
  readonly load: () => Promise<Command>;
}

const COMMANDS: Readonly<Record<string, Row>> = {
  quickstart: {
    usage: 'quickstart [--config FILE] [--set field=value]...',
    about: 'serve at once, with the provider that needs nothing',
    load: async () => (await import('./commands/quickstart.ts')).runQuickstartCommand,
  },
  serve: {
    usage: 'serve [--config FILE] [--set field=value]...',
    about: 'serve with the configured providers',
    load: async () => (await import('./commands/serve.ts')).runServeCommand,
  },
  config: {
    usage: 'config check|show|origins [--config FILE] [--set field=value]... [--json]',
    about: 'check or print the configuration',
    load: async () => (await import('./commands/config.ts')).runConfigCommand,
  },
  state: {
    usage: 'state check|backup FILE [--config FILE] [--set field=value]...',
    about: 'check the database in full, or copy it while the bridge runs',
    load: async () => (await import('./commands/state.ts')).runStateCommand,
  },
  metadata: {
    usage: 'metadata show FILE [--json]',
    about: 'print how an image was made, from its own record or its sidecar',
    load: async () => (await import('./commands/metadata.ts')).runMetadataCommand,
  },
  artifacts: {
    usage: 'artifacts verify [--config FILE] [--set field=value]... [--json]',
    about: 'check every stored image in full, while the bridge runs or not',
    load: async () => (await import('./commands/artifacts.ts')).runArtifactsCommand,
  },
  schema: {
    usage: 'schema --kind openapi|json [--check FILE | --write FILE]',
    about: 'print, check or write the generated documents',
    load: async () => (await import('./commands/schema.ts')).runSchemaCommand,
  },
};

const HELP = `usage: image-bridge COMMAND

${Object.values(COMMANDS)
  .map(({ usage, about }) => `  ${usage}\n      ${about}\n`)
  .join('')}  --version, --help
`;

/** Runs one command line. Resolves to the exit code. */
export async function runCommandLine(
  [name = '--help', ...argv]: readonly string[],
  io: CommandIo,
): Promise<number> {
  if (name === '--version') {
    io.stdout(`${packageVersion()}\n`);
    return 0;
  }
  if (name === '--help') {
    io.stdout(HELP);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    io.stderr(HELP);
    return 2;
  }
  return (await command.load())(argv, io);
}
