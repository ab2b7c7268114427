import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { freshFolder, type StartedBridge } from '../../support/start-bridge.ts';
import { startDashboard } from './dashboard.ts';
import { openPage } from './open-page.ts';
import { makeJobs, patchJob, submitJobs } from './submit-jobs.ts';

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaft'.repeat(8);
const LONG_NAME = `${'scan-of-the-harbour-from-the-north-'.repeat(6)}final.png`;

const rehearsal = (model: string, prompt: string, parameters: object = {}) => ({
  prompt,
  parameters,
  routing: { provider: 'sandbox', model },
});

export interface ViewedBridge {
  readonly bridge: StartedBridge;
  /** The ids of an edit of three images, of a rejected job, and of a job that never ends. */
  readonly edit: string;
  readonly refused: string;
  readonly running: string;
}

/** Starts a bridge with a job in each state, long names and long words. */
export async function startViewedBridge(): Promise<ViewedBridge> {
  const bridge = await startDashboard({
    set: [
      'server.jobs.max_running_total=1',
      'providers.agent_responses.enabled=true',
      `providers.agent_responses.home=${await freshFolder()}`,
    ],
  });
  const photo = await readFile(new URL('../../data/photos/coffee.png', import.meta.url));
  const [edit = '', refused = ''] = await makeJobs(bridge.address, [
    {
      operation: 'edit',
      prompt: `The same cup, risograph in two inks. ${LONG_WORD}`,
      images: [
        {
          type: 'data_url',
          data_url: `data:image/png;base64,${photo.toString('base64')}`,
          filename: LONG_NAME,
        },
      ],
      parameters: { n: 3, quality: 'max' },
      policies: { compatibility: 'normalize' },
      metadata: { project: LONG_WORD.slice(0, 200) },
    },
    rehearsal('sandbox-fail-safety_rejected', `A knot that is refused. ${LONG_WORD}`),
    rehearsal('sandbox-fail-timeout', 'Too slow'),
    rehearsal('sandbox-image', 'Six boats', { n: 6, size: '128x128' }),
    rehearsal('sandbox-image', 'A tall tower', { size: '256x768' }),
    rehearsal('sandbox-image', LONG_WORD, { size: '768x256' }),
  ]);
  const [running = ''] = await submitJobs(bridge.address, [
    rehearsal('sandbox-hang', `A river that never ends. ${LONG_WORD}`, { size: '1024x1024' }),
    rehearsal('sandbox-image', 'A harbour in the queue', { size: '1024x1024' }),
  ]);
  return { bridge, edit, refused, running };
}

type Options = Parameters<typeof openPage>[1];
type Opener = (viewed: ViewedBridge, options: Options) => Promise<Page>;

const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click();

async function openGallery({ bridge }: ViewedBridge, options: Options): Promise<Page> {
  const page = await openPage(bridge.address, options);
  await page.getByRole('link', { name: /^A tall tower/ }).waitFor();
  return page;
}

/** Opens the panel for a new image. In a narrow window, the panel is a sheet. */
async function openMake(viewed: ViewedBridge, options: Options): Promise<Page> {
  const page = await openGallery(viewed, options);
  if ((page.viewportSize()?.width ?? 0) < 900) await press(page, /^Describe an image/);
  const prompt = page.getByLabel('Prompt', { exact: true });
  await prompt.fill(LONG_WORD);
  const buffer = await readFile(new URL('../../data/photos/rocket.jpg', import.meta.url));
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: LONG_NAME, mimeType: 'image/jpeg', buffer });
  await page.getByRole('button', { name: 'Mask', exact: true }).waitFor();
  return page;
}

function openJob(id: (viewed: ViewedBridge) => string, query = ''): Opener {
  return async (viewed, options) => {
    const path = `/dashboard/jobs/${id(viewed)}${query}`;
    const page = await openPage(viewed.bridge.address, { ...options, path });
    await page.getByRole('complementary', { name: 'About this job' }).waitFor();
    return page;
  };
}

/** The functions that open each view of the dashboard, by name. */
export const VIEWS = {
  gallery: openGallery,
  filter: async (viewed, options) => {
    const page = await openGallery(viewed, options);
    await press(page, 'Filter');
    await page.getByRole('menu').waitFor();
    return page;
  },
  selection: async (viewed, options) => {
    const page = await openGallery(viewed, options);
    await page.getByRole('link', { name: /^A tall tower/ }).focus();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    return page;
  },
  message: async (viewed, options) => {
    await patchJob(viewed.bridge.address, viewed.refused, { deleted: false });
    const page = await openGallery(viewed, options);
    await page.getByRole('link', { name: /^A knot that is refused/ }).focus();
    await page.keyboard.press('h');
    await page.locator('.toast').hover();
    return page;
  },
  make: openMake,
  'make-groups': async (viewed, options) => {
    const page = await openMake(viewed, options);
    const groups = page.locator('.group > button');
    for (const group of await groups.all()) await group.click();
    await groups.last().scrollIntoViewIfNeeded();
    return page;
  },
  models: async (viewed, options) => {
    const page = await openMake(viewed, options);
    await press(page, /sandbox-image/);
    await page.getByRole('listbox').waitFor();
    return page;
  },
  mask: async (viewed, options) => {
    const page = await openMake(viewed, options);
    await page.getByRole('button', { name: 'Mask', exact: true }).click();
    await page.locator('.canvas-stage .surface').waitFor();
    return page;
  },
  single: openJob(({ edit }) => edit),
  grid: openJob(({ edit }) => edit, '?view=grid'),
  side: openJob(({ edit }) => edit, '?view=side'),
  slider: openJob(({ edit }) => edit, '?view=slider&a=source&b=2'),
  refused: openJob(({ refused }) => refused),
  running: openJob(({ running }) => running),
  system: async ({ bridge }, options) => {
    const page = await openPage(bridge.address, { ...options, path: '/dashboard/system' });
    await page.getByRole('cell', { name: 'any, up to 4096' }).waitFor();
    return page;
  },
  help: async (viewed, options) => {
    const page = await openGallery(viewed, options);
    await page.keyboard.press('Shift+?');
    await page.getByRole('dialog').waitFor();
    return page;
  },
} satisfies Record<string, Opener>;
