import { parseArgs } from 'node:util';

export type Settings = ReturnType<typeof readSettings>;

/** The behaviour of this run of the stand-in for all requests, from the arguments before `app-server`. */
export function readSettings(argv: readonly string[]) {
  const { values } = parseArgs({
    args: argv.slice(0, argv.indexOf('app-server')),
    options: {
      /** A folder in which each process writes what it received, a JSON line a message. */
      log: { type: 'string' },
      /** Type of the account. `none` for no account, `error` for an account that cannot be read. */
      account: { type: 'string', default: 'chatgpt' },
      /** Method at which the stand-in exits. */
      'exit-at': { type: 'string', default: '' },
      /** Method that never gets a response. */
      'silent-at': { type: 'string', default: '' },
      /** True if neither the end of its input nor SIGTERM ends the process. */
      'never-exits': { type: 'boolean', default: false },
      /** True if it starts a child process that would survive it. */
      grandchild: { type: 'boolean', default: false },
      /** True if it prints a line of words when it starts, as a wrapper of the agent may do. */
      greets: { type: 'boolean', default: false },
      /** Width and height of its images in pixels. */
      edge: { type: 'string', default: '64' },
      /** Time in a turn before there is an image. */
      'image-ms': { type: 'string', default: '0' },
    },
  });
  return values;
}
