import { constants, setPriority } from 'node:os';
import { ATTACKS, type AttackName } from './attacks.ts';

/**
 * A program that attacks a bridge: `node main.js ATTACK PORT TOKEN SECONDS`. It writes how often each reply came to standard
 * output, as JSON. Beside the test it would slow the client down whose times the test takes.
 */
const [name = '', port = '', token = '', seconds = ''] = process.argv.slice(2);
// Attackers have machines of their own: what they compute is not to be taken from the bridge.
setPriority(constants.priority.PRIORITY_LOW);
const attack = ATTACKS[name as AttackName];
const signal = AbortSignal.timeout(Number(seconds) * 1000);
const counts = await attack({ host: '127.0.0.1', port: Number(port), token }, signal);
process.stdout.write(JSON.stringify(counts), () => process.exit(0));
