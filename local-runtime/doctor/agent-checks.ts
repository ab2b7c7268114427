import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findExecutable } from '../../lib/providers/agent-app-server/executable.ts';
import { type Examined, type Finding, good, warning } from './finding.ts';

const run = promisify(execFile);

const TIMEOUT_MS = 5000;
// What the agent asks for before it reads an image that it is to edit.
const NAMESPACES = ['--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', '--proc', '/proc'];

/** Whether bubblewrap works where it is installed: without it, the agent reads the images of an edit in another way. */
export async function checkBubblewrap(examined: Examined): Promise<readonly Finding[]> {
  const { config, env, signal } = examined;
  if (!config.providers.agent_app_server.enabled) return [];
  const bubblewrap = await findExecutable('bwrap', env['PATH']);
  if (bubblewrap === undefined) return [];
  try {
    await run(bubblewrap, [...NAMESPACES, '--', 'true'], { env, signal, timeout: TIMEOUT_MS });
    return [good('bubblewrap', `${bubblewrap} can make namespaces`)];
  } catch {
    const message = `${bubblewrap} may make no namespaces: edits through agent-app-server will fail`;
    const advice = 'Remove bubblewrap, or allow user namespaces to the user that serves.';
    return [warning('bubblewrap', message, advice)];
  }
}
