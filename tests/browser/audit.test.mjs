// The page of `refrain audit`, in a browser.

import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Folder, PROGRAM, contrast, launch, open, picture, words } from "./browser.mjs";

let browser, folder, audit;

before(async () => {
  browser = await launch();
  folder = new Folder();
  const line = (number) => {
    const copied = words(40, 900 + number % 3), hostile = "<img src=x onerror=alert(1)> " + words(30, 800);
    const edited = number % 2 ? copied : copied.replace(/ /, " changed ");
    return JSON.stringify({ id: "d" + number + "<b>", text: [words(40, number), edited, hostile].join("\n\n") });
  };
  folder.write("docs.jsonl", Array.from({ length: 30 }, (_, number) => line(number)).join("\n"));
  folder.refrain("dedup", "docs.jsonl", "-o", "clean/");
  folder.refrain("audit", "clean/", "-o", "audit.html", "--sample", "12");
  audit = join(folder.path, "audit.html");
});
after(async () => { await browser?.close(); folder?.remove(); });

const title = (page) => page.textContent("#title");
const overall = (page) => page.$eval("#rates tr:last-child", (row) => [...row.cells].map((cell) => cell.textContent));
const pressed = (page) => page.$$eval("[data-verdict][aria-pressed=true]", (all) => all.map((button) => button.dataset.verdict));
const press = async (page, ...keys) => { for (const key of keys) await page.keyboard.press(key); };

async function saved(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export")]);
  const file = join(folder.path, download.suggestedFilename());
  await download.saveAs(file);
  return { file, lines: readFileSync(file, "utf8").trim().split("\n").map(JSON.parse) };
}

describe("judging", () => {
  test("goes by keyboard, is undone, and is kept when the page is closed", async () => {
    const { page, done } = await open(browser, audit);
    assert.match(await title(page), /^1 of 12: d\d+<b>$/);
    await press(page, "r", "w", "u", "r");
    assert.match(await title(page), /^5 of 12/);
    assert.deepEqual((await overall(page)).slice(3, 6), ["4", "1", "1"]);
    await press(page, "z");
    assert.match(await title(page), /^4 of 12/);
    assert.deepEqual(await pressed(page), []);
    assert.deepEqual((await overall(page)).slice(3, 6), ["3", "1", "1"]);
    await press(page, "ArrowLeft");
    assert.deepEqual(await pressed(page), ["unsure"]);
    await press(page, "ArrowLeft");
    assert.deepEqual(await pressed(page), ["wrong"]);
    await press(page, "r");
    assert.deepEqual((await overall(page)).slice(3, 6), ["3", "0", "1"]);
    await page.reload();
    assert.match(await title(page), /^4 of 12/, "the first without a verdict");
    assert.deepEqual((await overall(page)).slice(3, 6), ["3", "0", "1"]);
    await press(page, "End", "x", "Tab");
    assert.deepEqual((await overall(page)).slice(3, 6), ["3", "0", "1"], "other keys do nothing");
    await done();
  });

  test("shows both sides, with the common words, and hostile text as text", async () => {
    const { page, done } = await open(browser, audit);
    for (let item = 0; item < 12; item++) {
      assert.equal(await page.$$eval("#own img, #other img", (all) => all.length), 0);
      const [own, other] = await page.$$eval("#own, #other", (boxes) => boxes.map((box) => [...box.querySelectorAll("mark")].map((mark) => mark.textContent)));
      assert.ok(own.length > 0 && own.length === other.length, "words in common");
      await press(page, "ArrowRight");
    }
    await picture(page, "audit");
    const found = await contrast(page, ["p", ".note", "mark", "th", "td", "button:enabled", "h3"]);
    for (const [selector, ratio] of Object.entries(found)) assert.ok(ratio >= 4.5, selector + ": " + ratio);
    await done();
  });

  test("ends in the same rate as the program computes, for two people", async () => {
    const { page, done } = await open(browser, audit);
    await page.fill("#judge", "Ada");
    await page.keyboard.press("Enter");
    await press(page, "w", "r", "r", "r", "u", "r", "r", "r", "r", "r", "r", "r");
    await page.fill("#note", "names differ");
    await page.keyboard.press("Enter");
    const own = await saved(page);
    assert.equal(own.file.endsWith("verdicts-Ada.jsonl"), true);
    assert.deepEqual(Object.keys(own.lines[0]), ["item", "rule", "score", "weight", "verdict", "judge", "note"]);
    assert.equal(own.lines.filter((line) => line.note === "names differ").length, 1);
    await page.fill("#judge", "Bob");
    await page.keyboard.press("Enter");
    assert.deepEqual(await pressed(page), [], "verdicts of others are not shown");
    await press(page, "o", "w");
    const both = await saved(page);
    assert.deepEqual(new Set(both.lines.map((line) => line.judge)), new Set(["Ada", "Bob"]));
    const table = execFileSync(PROGRAM, ["audit", "--verdicts", both.file], { encoding: "utf8" });
    const line = table.split("\n").find((line) => line.startsWith("all removals"));
    const [, , , judged, wrong, unsure, rate, interval] = await overall(page);
    assert.deepEqual(line.replace("all removals", "").trim().split(/\s{2,}/), [judged, wrong, unsure, rate, interval]);
    assert.match(await page.textContent("#agreement"), /Two people judged 1 items/);
    await done();

    // Loaded again elsewhere.
    const other = await open(browser, audit);
    assert.equal((await overall(other.page))[3], "0");
    await other.page.setInputFiles("#import", both.file);
    await other.page.waitForSelector("#rates tr:last-child td:nth-child(4):text-is('12')");
    assert.deepEqual((await overall(other.page)).slice(3), [judged, wrong, unsure, rate, interval]);
    await other.page.setInputFiles("#import", audit);
    await other.page.waitForSelector("#problem:not([hidden])");
    assert.match(await other.page.textContent("#problem"), /not a file of verdicts/);
    await other.done();
  });
});
