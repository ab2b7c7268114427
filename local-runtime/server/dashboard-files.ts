import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { ASSET_MEDIA_TYPES } from '../../lib/contract/resources/dashboard.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { PageFile } from '../../lib/http/reply/page-reply.ts';
import { createOnce } from '../../lib/platform/once.ts';
import type { Services } from '../../lib/services.ts';

/** The files to serve. The folder also contains compressed copies of these files, and the licences of bundled packages. */
const SERVED = /^(index\.html|assets\/.+(?<!\.(br|gz)))$/;

/** A name with the extension of a file. No view of the page has such a name. */
const FILE_NAME =
  /\.(css|gif|html|ico|jpe?g|js|json|map|mjs|png|svg|txt|wasm|webmanifest|webp|woff2?|xml)$/i;

type Files = ReadonlyMap<string, PageFile>;

/**
 * Serves the built dashboard in `folder`. All files are read at the first request, so that no part of a request is used in a
 * path. All methods throw `not_found` if the file does not exist.
 */
export function createDashboardFiles(folder: string | undefined): Services['dashboard'] {
  const files = createOnce(() => readFiles(folder));

  async function file(name: string): Promise<PageFile> {
    return (await files.get()).get(name) ?? refuse('dashboard file not found');
  }

  return {
    page: () => file('index.html'),
    // A request for a missing script or image must fail. A page in place of the file would hide the error.
    view: async (name) => file(FILE_NAME.test(name) ? name : 'index.html'),
    asset: (name) => file(`assets/${name}`),
  };
}

/** Returns the folder of the built dashboard, or undefined if the dashboard has not been built. */
export function dashboardFolder(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('#dashboard'));
  } catch {
    return undefined;
  }
}

async function readFiles(folder: string | undefined): Promise<Files> {
  const entries = folder === undefined ? [] : await filesBelow(folder);
  const contents = new Map(entries);
  if (!contents.has('index.html')) {
    return refuse('the dashboard has not been built: run npm run build');
  }
  const names = [...contents.keys()].filter((name) => SERVED.test(name));
  return new Map(names.map((name) => [name, toPageFile(name, contents)]));
}

/** Returns the path, relative to the folder, and the content of every file. The list is empty if the folder does not exist. */
async function filesBelow(folder: string): Promise<readonly (readonly [string, Buffer])[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const toName = (path: string) => relative(folder, path).replaceAll('\\', '/');
  return Promise.all(paths.map(async (path) => [toName(path), await readFile(path)] as const));
}

function toPageFile(name: string, contents: ReadonlyMap<string, Buffer>): PageFile {
  const bytes = contents.get(name) ?? Buffer.alloc(0);
  const br = contents.get(`${name}.br`);
  const gzip = contents.get(`${name}.gz`);
  return {
    bytes,
    encoded: { ...(br ? { br } : {}), ...(gzip ? { gzip } : {}) },
    contentType: toContentType(extname(name).slice(1)),
    tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
    isImmutable: name.startsWith('assets/'),
  };
}

function toContentType(extension: string): string {
  const type = extension === 'html' ? 'text/html' : ASSET_MEDIA_TYPES[extension];
  if (type === undefined) throw new Error(`unknown media type of .${extension} files`);
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

function refuse(reason: string): never {
  throw new BridgeError('not_found', reason);
}
