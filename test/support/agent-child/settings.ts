import { parseArgs } from 'node:util';

export type Settings = ReturnType<typeof readSettings>;

/** How this run of the stand-in behaves, whatever it is asked: the arguments before `app-server`. */
export function readSettings(argv: readonly string[]) {
  const { values } = parseArgs({
    args: argv.slice(0, argv.indexOf('app-server')),
    options: {
      /** A folder in which each process writes what it received, a JSON line a message. */
      log: { type: 'string' },
      /** The type of the account; `none` for no account, `error` where it cannot be read. */
      account: { type: 'string', default: 'chatgpt' },
      /** The method at which it exits. */
      'exit-at': { type: 'string', default: '' },
      /** The method that it never responds to. */
      'silent-at': { type: 'string', default: '' },
      /** Neither the end of its input nor SIGTERM ends it. */
      'never-exits': { type: 'boolean', default: false },
      /** Starts a process of its own that would live on. */
      grandchild: { type: 'boolean', default: false },
      /** It prints a line of words when it starts, as a wrapper of the agent may. */
      greets: { type: 'boolean', default: false },
      /** The edge of its images in pixels. */
      edge: { type: 'string', default: '64' },
      /** How long a turn takes until there is an image. */
      'image-ms': { type: 'string', default: '0' },
    },
  });
  return values;
}
