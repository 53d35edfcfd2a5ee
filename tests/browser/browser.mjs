// What the tests share: a browser, and reports made by the program.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import assert from "node:assert/strict";

import { chromium } from "playwright-core";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const PROGRAM = process.env.REFRAIN || join(ROOT, "target/debug/refrain");
const BROWSER = process.env.CHROMIUM || "/usr/bin/chromium";
/** Where pictures of pages go, if anywhere. */
const SHOTS = process.env.SHOTS;

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];

export async function launch() {
  assert.ok(existsSync(BROWSER), `${BROWSER} is not there; make test-browser installs it, or CHROMIUM=FILE names another one`);
  assert.ok(existsSync(PROGRAM), `${PROGRAM} is not there; make test-browser builds it`);
  return chromium.launch({ executablePath: BROWSER, args: FLAGS });
}

/** A folder that is gone after the tests. */
export class Folder {
  constructor() { this.path = mkdtempSync(join(tmpdir(), "refrain-browser-")); }

  write(name, content) {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** Runs the program in this folder. */
  refrain(...options) {
    execFileSync(PROGRAM, [...options, "--quiet"], { cwd: this.path, stdio: ["ignore", "pipe", "pipe"] });
  }

  /** The page of a comparison. */
  compare(output, ...options) {
    this.refrain("compare", ...options, "-o", output);
    return join(this.path, output.endsWith("/") ? output + "report.html" : output);
  }

  remove() { rmSync(this.path, { recursive: true, force: true }); }
}

/** Opens a page, and sees to it that it asks for nothing and complains of nothing. */
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  const address = pathToFileURL(file).href;
  page.on("request", (request) => { if (request.url() !== address) complaints.push("request: " + request.url()); });
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => { complaints.push("dialog: " + dialog.message()); dialog.dismiss(); });
  await page.goto(address);
  const done = async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  };
  return { page, done };
}

export async function picture(page, name, options = {}) {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, name + ".png"), ...options });
}

/** Words that no other text has, always the same ones. */
export function words(count, seed) {
  let state = seed * 2654435761 % 4294967296;
  const next = () => (state = (state * 1664525 + 1013904223) % 4294967296) / 4294967296;
  const syllable = () => "bdfgklmnprstvz"[Math.floor(next() * 14)] + "aeiou"[Math.floor(next() * 5)];
  const word = () => Array.from({ length: 2 + Math.floor(next() * 3) }, syllable).join("");
  return Array.from({ length: count }, (_, at) => word() + (at % 14 === 13 ? "." : "")).join(" ");
}

/** The least contrast of the text of some elements with what is behind it. */
export function contrast(page, selectors) {
  return page.evaluate((selectors) => {
    const parse = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
    const light = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((part) => (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = (element) => {
      for (let e = element; e; e = e.parentElement) {
        const colour = parse(getComputedStyle(e).backgroundColor);
        if (colour.length === 3 || colour[3] > 0) return colour;
      }
      return [255, 255, 255];
    };
    const found = {};
    for (const selector of selectors) {
      for (const element of [...document.querySelectorAll(selector)].filter((e) => e.offsetParent).slice(0, 60)) {
        const [one, other] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
        found[selector] = Math.min(found[selector] ?? 99, (one + 0.05) / (other + 0.05));
      }
    }
    return found;
  }, selectors);
}
