import { BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { createRemoteCalls } from '../../platform/remote-calls.ts';
import { restoreThrown } from '../../platform/thrown-copy.ts';
import { type StorageThread, startStorageThread } from '../storage-thread.ts';
import type { OpenSqlite, SqliteStores } from './sqlite-stores.ts';
import type { StorageCommand, StorageReport } from './storage-worker.ts';
import { type MethodKind, STORE_METHODS } from './store-methods.ts';
import { completeReplies, type ServedJobs } from './submit-replies.ts';

interface Options {
  /** `stateDatabaseFile`. */
  readonly file: string;
  /** Called once if a thread ends by itself. Acknowledged writes are durable. All other calls are rejected. */
  readonly onFailure: (error: BridgeError) => void;
  /** The number of consecutive overlapping calls after which a second thread starts to read. The default is 16. */
  readonly overlapsBeforeReader?: number;
}

// The start of a bridge makes about ten overlapping calls. An idle bridge does not need the second thread.
const OVERLAPS = 16;

type Opened = Extract<StorageReport, { readonly owner: string }>;

/**
 * Prepares the thread that writes, by default a new one. The thread loads its program while the caller prepares the state. The
 * main thread never waits for the disk. All calls of one turn of its event loop are sent in one message. The thread commits all
 * writes of a message together and replies after the commit.
 */
export function startStorageThreads(started: StorageThread = startStorageThread()) {
  const writer = prepareThread(started);

  return {
    /**
     * Opens the database. Throws `configuration` if the database cannot be opened, and `overloaded` if the thread ends by
     * itself.
     */
    async open(options: Options): Promise<OpenSqlite> {
      const { file, onFailure, overlapsBeforeReader = OVERLAPS } = options;
      const { secret, owner } = await writer.open({ kind: 'open', file }).catch(async (error) => {
        await writer.close();
        throw error;
      });
      let hasFailed = false;
      const fail = (error: unknown) => {
        if (!hasFailed) onFailure(toBridgeError(error));
        hasFailed = true;
      };
      writer.onFailure(fail);
      const reading = createReading(writer, overlapsBeforeReader, () => {
        const reader = prepareThread(startStorageThread('storage-reader'));
        reader.onFailure(fail);
        return { reader, opened: reader.open({ kind: 'open', file, readsAs: owner }) };
      });
      return {
        secret,
        stores: createRemoteStores((kind, ...call) => reading.threadOf(kind).call(...call)),
        async close() {
          await reading.close();
          // The last connection that closes copies the log into the file.
          await writer.close();
        },
      };
    },

    /** Ends the thread if `open` was not called. */
    close: writer.close,
  };
}

type Thread = ReturnType<typeof prepareThread>;

/**
 * Chooses the thread of each call. A second thread, which only reads, starts when `mostOverlaps` calls in a row have had to wait
 * for other calls. Until the second thread has opened the database, the first thread reads too.
 */
function createReading(
  writer: Thread,
  mostOverlaps: number,
  start: () => { readonly reader: Thread; readonly opened: Promise<unknown> },
) {
  let second: Thread | undefined;
  let reading = writer;
  let overlaps = 0;

  function startSecond(): void {
    const { reader, opened } = start();
    second = reader;
    opened.then(
      () => {
        reading = reader;
      },
      // The first thread continues to read. The reads of the first thread report why the second thread could not open the
      // database, such as a damaged schema.
      () => reader.close(),
    );
  }

  return {
    threadOf(kind: MethodKind): Thread {
      overlaps = writer.isBusy() ? overlaps + 1 : 0;
      if (second === undefined && overlaps >= mostOverlaps) startSecond();
      return kind === 'write' ? writer : reading;
    },
    close: async (): Promise<void> => second?.close(),
  };
}

function prepareThread({ worker, ended }: StorageThread) {
  const send = (command: StorageCommand) => worker.postMessage(command);
  const calls = createRemoteCalls(send);
  const { promise: opened, resolve: onOpened, reject: onRefused } = Promise.withResolvers<Opened>();
  let isClosing = false;
  let report = (_failure: BridgeError) => {};
  opened.catch(() => {});

  worker.on('message', (message: StorageReport) => {
    if ('refusal' in message) onRefused(restoreThrown(message.refusal));
    else if ('owner' in message) onOpened(message);
    else calls.settle(message);
  });
  worker.ref();
  void ended.then((cause) => {
    const failure = new BridgeError('overloaded', 'a storage thread has ended', { cause });
    onRefused(failure);
    calls.rejectAll(failure);
    if (isClosing) return;
    isClosing = true;
    report(failure);
  });

  return {
    /** Opens the database. Throws `configuration` if the database cannot be opened. */
    open(command: StorageCommand): Promise<Opened> {
      send(command);
      return opened;
    },

    call: (port: string, method: string, args: readonly unknown[]): Promise<unknown> =>
      isClosing
        ? Promise.reject(new BridgeError('overloaded', 'the bridge is stopping'))
        : calls.call(port, method, args),

    /** Returns true if a call has not been replied to. */
    isBusy: calls.areWaiting,

    /** Sets the function that is called if the thread ends by itself. */
    onFailure(listener: (failure: BridgeError) => void): void {
      report = listener;
    },

    /** Resolves when the thread has replied to all calls and has ended. */
    async close(): Promise<void> {
      if (!isClosing) {
        isClosing = true;
        calls.flush();
        send({ kind: 'close' });
      }
      await ended;
    },
  };
}

/** Creates every port of the database from the table of methods. Each method sends a call to a thread. */
function createRemoteStores(
  call: (
    kind: MethodKind,
    port: string,
    method: string,
    args: readonly unknown[],
  ) => Promise<unknown>,
): SqliteStores {
  const ports = Object.entries(STORE_METHODS).map(([port, kinds]) => {
    const methods = Object.entries<MethodKind>(kinds).map(([method, kind]) => [
      method,
      (...args: readonly unknown[]) => call(kind, port, method, args),
    ]);
    return [port, Object.fromEntries(methods)];
  });
  // The cast is safe because the table has every method of every port.
  const stores = Object.fromEntries(ports) as Omit<SqliteStores, 'jobs'> & { jobs: ServedJobs };
  return { ...stores, jobs: completeReplies(stores.jobs) };
}
