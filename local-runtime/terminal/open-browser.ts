import { spawn } from 'node:child_process';
import type { CommandIo } from '../command-io.ts';

const PROGRAMS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` takes its first quoted word for a title.
  win32: ['cmd', '/c', 'start', '""'],
};

/** Opens the address where this user has a screen. What fails is not reported: the address was printed. */
export function openBrowser(url: string, { env }: CommandIo): void {
  const isLinux = PROGRAMS[process.platform] === undefined;
  if (isLinux && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
  const [program, ...args] = PROGRAMS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, env });
  child.on('error', () => {});
  child.unref();
}
