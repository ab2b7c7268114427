import { parentPort } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { systemClock } from '../../platform/clock.ts';
import { createIds } from '../../platform/ids.ts';
import {
  type Call,
  createCallServer,
  type Ports,
  type Reply,
} from '../../platform/remote-calls.ts';
import { copyThrown, type ThrownCopy } from '../../platform/thrown-copy.ts';
import { IN_MEMORY } from './connection.ts';
import { openStateDatabase } from './database.ts';
import { createSqliteStores, type OpenSqlite } from './sqlite-stores.ts';
import { openStateReader } from './state-reader.ts';
import { shortenReplies } from './submit-replies.ts';

/** A message to a storage thread: calls of ports, or the command to open or to close the database. */
export type StorageCommand =
  | readonly Call[]
  | {
      readonly kind: 'open';
      readonly file: string;
      /** The owner id of this process in its rows, set for a thread that only reads. Absent for the thread that writes. */
      readonly readsAs?: string;
    }
  | { readonly kind: 'close' };

/** A message from a storage thread: replies, or the outcome of `open`. */
export type StorageReport =
  | readonly Reply[]
  | { readonly secret: Uint8Array; readonly owner: string }
  | { readonly refusal: ThrownCopy };

interface Opened extends OpenSqlite {
  readonly owner: string;
}

/** Runs a storage thread: opens the database, serves calls until the `close` command, and ends. */
function serve(port: NonNullable<typeof parentPort>): void {
  const post = (report: StorageReport) => port.postMessage(report);
  let run: (calls: readonly Call[]) => void = () => {};
  let opened: Opened | undefined;

  port.on('message', async (command: StorageCommand) => {
    if (!('kind' in command)) run(command);
    else if (command.kind === 'open') {
      try {
        opened =
          command.readsAs === undefined
            ? openToWrite(command.file)
            : openToRead(command.file, command.readsAs);
        const { stores, secret, owner } = opened;
        const served = { ...stores, jobs: shortenReplies(stores.jobs) };
        // The cast is safe because every port is an object of asynchronous functions.
        run = createCallServer(served as unknown as Ports, post);
        post({ secret, owner });
      } catch (error) {
        post({ refusal: copyThrown(error) });
      }
    } else {
      await opened?.close();
      // The replies of the last commit are posted before the next immediate callback.
      setImmediate(() => port.close());
    }
  });
}

function openToWrite(file: string): Opened {
  const database = openStateDatabase({
    file,
    ids: createIds(systemClock.nowMs),
    clock: systemClock,
  });
  return { ...database, stores: createSqliteStores(database) };
}

function openToRead(file: string, owner: string): Opened {
  const reader = openStateReader(file, owner);
  if (reader === undefined) throw new Error('the database was removed');
  const stores = createSqliteStores(reader);
  return { stores, owner, secret: new Uint8Array(), close: async () => reader.close() };
}

if (parentPort !== null) {
  serve(parentPort);
  // Loads the native library of SQLite while the main thread still loads its program.
  new Sqlite(IN_MEMORY).close();
}
