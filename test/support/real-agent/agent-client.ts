import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type Message = Readonly<Record<string, unknown>> & {
  readonly id?: number | string;
  readonly method?: string;
  // Each test knows the shape of the messages that it waits for.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
};

interface Options {
  readonly binary: string;
  /** Home folder of the agent. */
  readonly home: string;
  readonly config: Readonly<Record<string, string | number | boolean>>;
  /** Address for refreshes of a login, which must never be the public endpoint. */
  readonly tokenUrl: string;
}

export type AgentClient = ReturnType<typeof startAgent>;

/** Starts a real agent and speaks its protocol: one JSON message a line. */
export function startAgent({ binary, home, config, tokenUrl }: Options) {
  const assignments = Object.entries(config).flatMap(([key, value]) => [
    '-c',
    `${key}=${JSON.stringify(value)}`,
  ]);
  const child: ChildProcess = spawn(binary, ['app-server', ...assignments], {
    cwd: home,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      CODEX_HOME: home,
      CODEX_REFRESH_TOKEN_URL_OVERRIDE: tokenUrl,
      NO_COLOR: '1',
      RUST_LOG: 'off',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  let nextId = 1;

  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      messages.push(JSON.parse(line));
      for (const check of [...waiting]) check();
    });
  }

  /** Resolves with the first message for which the predicate is true. Rejects if the agent ends before. */
  function until(predicate: (message: Message) => boolean): Promise<Message> {
    const found = new Promise<Message>((resolve) => {
      const check = () => {
        const message = messages.find(predicate);
        if (!message) return;
        waiting.delete(check);
        resolve(message);
      };
      waiting.add(check);
      check();
    });
    const lost = ended.then(({ code, signal }): never => {
      throw new Error(`the agent has ended with ${code ?? signal}`);
    });
    lost.catch(() => {});
    return Promise.race([found, lost]);
  }

  function send(message: object): void {
    child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  return {
    messages,
    send,
    until,
    ended,

    async request(method: string, params: object = {}): Promise<Message> {
      const id = nextId;
      nextId += 1;
      send({ id, method, params });
      return until((message) => message.id === id && message.method === undefined);
    },

    /** Closes the input of the agent, which ends the agent. */
    close() {
      child.stdin?.end();
      return ended;
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}
