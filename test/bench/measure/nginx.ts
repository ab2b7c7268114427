import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import type { ServerProcess, Span } from './server-process.ts';

const STARTS_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 20;

// The resource use of another program is not measured.
const UNKNOWN: Span = {
  cpuMs: Number.NaN,
  loopP99Ms: 0,
  loopMaxMs: 0,
  residentMb: Number.NaN,
  peakMb: Number.NaN,
};

/** Starts an nginx with one worker that sends one file for every path. Resolves with undefined if nginx is not installed. */
export async function startNginx(folder: string, file: string): Promise<ServerProcess | undefined> {
  const port = await freePort();
  const prefix = join(folder, 'nginx');
  await mkdir(prefix);
  await writeFile(join(prefix, 'nginx.conf'), configuration(port, file));
  const child = spawn('nginx', ['-p', prefix, '-c', join(prefix, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  if (!(await isServing(port, ended))) return undefined;
  return {
    port,
    begin: async () => {},
    end: async () => UNKNOWN,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function configuration(port: number, file: string): string {
  return `daemon off;
worker_processes 1;
user ${userInfo().username};
pid nginx.pid;
events {}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    root ${dirname(file)};
    default_type image/png;
    location / { try_files ${file.slice(dirname(file).length)} =404; }
  }
}
`;
}

async function isServing(port: number, ended: Promise<void>): Promise<boolean> {
  let over = false;
  ended.then(() => {
    over = true;
  });
  const triesLeft = STARTS_WITHIN_MS / LOOK_EVERY_MS;
  for (let nth = 0; nth < triesLeft && !over; nth += 1) {
    const reply = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    await reply?.arrayBuffer();
    if (reply?.ok) return true;
    await wait(LOOK_EVERY_MS);
  }
  return false;
}
