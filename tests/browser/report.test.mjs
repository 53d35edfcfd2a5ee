// The page of `refrain compare`, in a browser.

import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Folder, ROOT, contrast, launch, open, picture, words } from "./browser.mjs";

let browser;
let folder;
let essays;

before(async () => {
  browser = await launch();
  folder = new Folder();
  essays = folder.compare("essays/", join(ROOT, "samples/essays"), "--exclude", join(ROOT, "samples/brief.md"));
});
after(async () => { await browser?.close(); folder?.remove(); });

const cells = (page, column) => page.$$eval("#pairs tbody tr", (rows, column) => rows.map((row) => row.cells[column].textContent), column);
const choose = (page, number) => page.click(`#pairs tbody tr:nth-child(${number})`);
const visible = (page, selector) => page.$$eval(selector, (all) => all.filter((e) => e.getClientRects().length > 0).length);
/** Where the first piece of a passage is in what is shown of a side. */
const top = (page, side, at) => page.evaluate(([side, at]) => {
  const box = document.getElementById("text-" + side);
  return box.querySelector(`mark[data-passage='${at}']`).offsetTop - box.scrollTop;
}, [side, at]);

/** Long documents that share three passages, in another order. */
function long(name) {
  const shared = [1, 2, 3].map((seed) => words(90, 900 + seed));
  const own = (seed) => words(700, seed) + "\n\n";
  folder.write(name + "/one.txt", own(1) + shared[0] + "\n\n" + own(2) + shared[1] + "\n\n" + own(3) + shared[2] + "\n\n" + own(4));
  folder.write(name + "/two.txt", own(11) + own(12) + shared[2] + "\n\n" + own(13) + shared[0] + "\n\n" + own(14) + shared[1]);
  return folder.compare(name + "-report/", name);
}

describe("the table", () => {
  test("is ranked, sorts by every column, and says what its figures mean", async () => {
    const { page, done } = await open(browser, essays);
    assert.deepEqual(await cells(page, 2), ["anna", "clara", "anna"]);
    const ranks = await cells(page, 1);
    assert.deepEqual([...ranks].sort((x, y) => parseFloat(y) - parseFloat(x)), ranks);
    assert.match(await page.textContent("#term-r"), /Resemblance.*runs of 3 words.*both contain/);
    assert.match(await page.textContent("#term-c"), /Containment/);
    assert.match(await page.textContent("#summary"), /5 documents, 3 pairs/);
    await picture(page, "start", { fullPage: true });
    for (let column = 0; column < 8; column++) {
      const button = page.locator("#pairs thead th button").nth(column);
      await button.click();
      const one = await cells(page, column);
      const way = await page.locator("#pairs thead th").nth(column).getAttribute("aria-sort");
      await button.click();
      assert.notEqual(await page.locator("#pairs thead th").nth(column).getAttribute("aria-sort"), way);
      assert.deepEqual((await cells(page, column)).sort(), [...one].sort());
    }
    await page.locator("#pairs thead th button").nth(4).click();
    assert.deepEqual(await cells(page, 4), ["bert", "clara", "eva"]);
    await done();
  });

  test("is searched by name", async () => {
    const { page, done } = await open(browser, essays);
    await page.fill("#filter", "EVA");
    assert.deepEqual(await cells(page, 4), ["eva"]);
    assert.match(await page.textContent("#pairs-title"), /1 of 3/);
    await page.fill("#filter", "nobody");
    assert.ok(await page.isVisible("#none"));
    await page.fill("#filter", "");
    assert.equal((await cells(page, 4)).length, 3);
    await done();
  });

  test("has a histogram of all pairs", async () => {
    const { page, done } = await open(browser, essays);
    const counts = await page.$$eval("#bars div", (bars) => bars.map((bar) => Number(bar.textContent)));
    assert.equal(counts.length, 20);
    assert.equal(counts.reduce((x, y) => x + y), 3);
    assert.match(await page.getAttribute("#bars", "aria-label"), /2 pairs with R from 5 to 10 %/);
    const heights = await page.$$eval("#bars i", (bars) => bars.map((bar) => bar.offsetHeight));
    assert.ok(heights.every((height, at) => (height > 0) === (counts[at] > 0)));
    await done();
  });

  test("shows the pairs of a group", async () => {
    folder.write("groups/a.txt", words(200, 1));
    folder.write("groups/b.txt", words(200, 1));
    folder.write("groups/c.txt", words(200, 2));
    folder.write("groups/d.txt", words(200, 2));
    const { page, done } = await open(browser, folder.compare("groups.html", "groups"));
    await page.click("#more summary");
    await page.click("#more li:nth-child(2) button");
    assert.deepEqual(await cells(page, 2), ["c"]);
    await page.click("#group");
    assert.equal((await cells(page, 2)).length, 2);
    await done();
  });

  test("says so when there is nothing in it", async () => {
    folder.write("nothing/a.txt", words(200, 1));
    folder.write("nothing/b.txt", words(200, 2));
    const { page, done } = await open(browser, folder.compare("nothing.html", "nothing"));
    assert.match(await page.textContent("#none"), /No pair/);
    assert.ok(!(await page.isVisible("#pairs")));
    await done();
  });
});

describe("a pair", () => {
  test("is shown with both texts, marks on both sides, and given text in grey", async () => {
    const { page, done } = await open(browser, essays);
    await choose(page, 1);
    assert.equal(await page.textContent("#title"), "anna and bert");
    const marked = (side) => page.$$eval(`#text-${side} mark`, (marks) => marks.map((mark) => mark.textContent).join(""));
    const plain = (text) => text.replace(/\s+/g, " ").trim();
    assert.equal(plain(await marked("a")), plain(await marked("b")));
    assert.ok((await marked("a")).length > 200);
    const essay = readFileSync(join(ROOT, "samples/essays/anna.txt"), "utf8");
    const told = await page.textContent("#text-a");
    assert.equal(plain(told), plain(essay));
    assert.equal(told.length, essay.length);
    // Lines that were broken to fit a width are joined; those that end where they end are not.
    assert.ok(told.includes("turned the lens hung") && told.includes("Third edition.\nLindqvist"));
    const grey = await page.$$eval("#text-a .out", (all) => all.map((e) => [e.title, e.textContent.trim().slice(0, 5)]));
    assert.match(grey[0][0], /given to everyone/);
    assert.match(grey.at(-1)[0], /list of references/);
    assert.match(await page.textContent("#passages"), /1word for word/);
    await picture(page, "pair");
    await done();
  });

  test("shows a passage that was taken over twice on both sides", async () => {
    const shared = words(90, 950);
    folder.write("twice/one.txt", words(300, 951) + "\n\n" + shared + "\n\n" + words(300, 952));
    folder.write("twice/two.txt", shared + "\n\n" + words(600, 953) + "\n\n" + shared);
    const { page, done } = await open(browser, folder.compare("twice-report/", "twice"));
    await choose(page, 1);
    assert.equal(await page.locator("#passages button").count(), 2);
    for (const at of [0, 1]) {
      await page.locator("#passages button").nth(at).click();
      for (const side of ["a", "b"]) assert.equal(await page.locator(`#text-${side} mark.chosen[data-passage~='${at}']`).count(), 1, `${side} ${at}`);
    }
    // Each click goes to the next place.
    const shown = () => page.locator("#text-b mark.chosen").getAttribute("data-passage");
    const before = await shown();
    await page.locator("#text-a mark").click({ position: { x: 100, y: 5 } });
    assert.notEqual(await shown(), before);
    await done();
  });

  test("scrolls its two sides together, wherever passages were moved to", async () => {
    const { page, done } = await open(browser, long("long"));
    await choose(page, 1);
    assert.equal(await page.locator("#passages button").count(), 3);
    for (const at of [2, 0, 1]) {
      await page.locator("#passages button").nth(at).click();
      for (const side of ["a", "b"]) assert.ok(Math.abs(await top(page, side, at) - 48) < 60, `${side} ${at}`);
    }
    // A click on a passage moves the other side, and not this one.
    await page.evaluate(() => { const box = document.getElementById("text-a"); box.scrollTop = box.querySelector("mark[data-passage='0']").offsetTop - 200; });
    await page.waitForTimeout(200);
    await page.evaluate(() => { document.getElementById("text-b").scrollTop = 0; });
    await page.waitForTimeout(200);
    await page.evaluate(() => { const box = document.getElementById("text-a"); box.scrollTop = box.querySelector("mark[data-passage='0']").offsetTop - 200; });
    await page.waitForTimeout(200);
    await page.locator("#text-a mark[data-passage='0']").click({ position: { x: 100, y: 5 } });
    assert.ok(Math.abs(await top(page, "a", 0) - await top(page, "b", 0)) < 5);
    assert.equal(await page.locator("#text-b mark.chosen").count(), 1);
    // The wheel over one side takes the other along, to the same place of the same passage.
    const box = await page.locator("#text-a").boundingBox();
    await page.mouse.move(box.x + 50, box.y + 50);
    await page.mouse.wheel(0, 60);
    await page.waitForTimeout(300);
    const apart = Math.abs(await top(page, "a", 0) - await top(page, "b", 0));
    assert.ok(apart < 60, `${apart} apart`);
    await picture(page, "long");
    // Unless it is not wanted.
    await page.uncheck("#linked");
    const still = await page.evaluate(() => document.getElementById("text-b").scrollTop);
    await page.mouse.wheel(0, 900);
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => document.getElementById("text-b").scrollTop), still);
    await done();
  });

  test("is reached and read by the keyboard alone", async () => {
    const { page, done } = await open(browser, essays);
    await page.focus("#filter");
    for (let steps = 0; steps < 20 && !(await page.evaluate(() => document.activeElement.matches("tbody tr"))); steps++) await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await page.textContent("#title"), "clara and eva");
    await page.keyboard.press("]");
    assert.equal(await page.textContent("#title"), "anna and clara");
    await page.keyboard.press("[");
    await page.keyboard.press("n");
    assert.equal(await page.locator("#passages [aria-current]").count(), 1);
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.pair), "1");
    // Letters go into the search box, when it is there that they are typed.
    await page.focus("#filter");
    await page.keyboard.type("ann");
    assert.equal(await page.inputValue("#filter"), "ann");
    await done();
  });

  test("names the files of submissions, on both sides", async () => {
    const shared = words(120, 77);
    folder.write("class/anna/essay.txt", words(150, 1));
    folder.write("class/anna/notes.txt", "💡 " + words(100, 2) + "\n\n" + shared);
    folder.write("class/bert/all.txt", shared + "\n\n" + words(120, 3));
    const { page, done } = await open(browser, folder.compare("class.html", "class", "--folders"));
    await choose(page, 1);
    assert.match(await page.textContent("#passages"), /notes\.txt ↔ all\.txt/);
    assert.deepEqual(await page.$$eval("#text-a .file", (all) => all.map((e) => e.textContent)), ["essay.txt", "notes.txt"]);
    assert.equal(await page.textContent("#text-a mark"), shared);
    await picture(page, "submissions");
    await done();
  });
});

describe("printing", () => {
  const paper = async (page) => {
    await page.emulateMedia({ media: "print" });
    return (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type \/Page\b/g).length;
  };

  test("gives the table and the chosen pair in full", async () => {
    const { page, done } = await open(browser, long("paper"));
    await choose(page, 1);
    assert.ok(await paper(page) >= 3, "texts are not cut off where boxes end");
    assert.equal(await visible(page, "#pairs tbody tr"), 1);
    const hidden = await page.$$eval(".text", (all) => all.filter((e) => e.scrollHeight > e.clientHeight + 1).length);
    assert.equal(hidden, 0);
    assert.ok(!(await page.isVisible("#filter")) && !(await page.isVisible("#print-all")));
    await picture(page, "print", { fullPage: true });
    await done();
  });

  test("gives the passages of all pairs, where that is wanted", async () => {
    const { page, done } = await open(browser, essays);
    await page.evaluate(() => { window.print = () => { window.printed = (window.printed || 0) + 1; }; });
    await page.click("#print");
    assert.equal(await visible(page, "#all article"), 0);
    await page.click("#print-all");
    assert.equal(await page.evaluate(() => window.printed), 2);
    await page.emulateMedia({ media: "print" });
    assert.equal(await visible(page, "#all article"), 3);
    assert.equal(await visible(page, "#all .cut p"), 6);
    assert.equal(await visible(page, "#pair"), 0);
    assert.match(await page.textContent("#all"), /anna and bert.*R 21\.4 %.*1\. word for word/);
    await picture(page, "print-all", { fullPage: true });
    // Once it is printed, the page is as it was.
    await paper(page);
    assert.equal(await page.locator("#all article").count(), 0);
    await done();
  });
});

describe("whatever comes", () => {
  test("names and texts are shown, and never run", async () => {
    const evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"`${alert(3)}<!--\u2028\u202Etxt.exe\u0007 </textarea>]]>";
    const name = "<img src=x onerror=alert(4)>\"'&amp;\u202Efdp\u0007";
    const shared = words(100, 5) + " " + evil + " שלום עולם " + words(100, 6);
    const line = (id, text) => JSON.stringify({ id, text });
    folder.write("evil.jsonl", [line(name + "1</script>", evil + shared), line(name + "2", shared + evil), line("\u0000", words(80, 9))].join("\n"));
    const { page, done } = await open(browser, folder.compare("evil.html", "evil.jsonl"));
    const told = await cells(page, 2);
    assert.equal(told[0], name.replace(/[\u202e\u0007]/g, "\ufffd") + "1</script>");
    await choose(page, 1);
    assert.ok((await page.textContent("#text-a")).startsWith(evil));
    await page.evaluate(() => { window.print = () => {}; });
    await page.click("#print-all");
    await page.waitForTimeout(200);
    assert.equal(await page.locator("img, iframe, object, textarea").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    await picture(page, "evil");
    await done();
  });

  test("names stay unknown where they must", async () => {
    const secret = ["zacharias", "yolanda", "xaver"];
    secret.forEach((name, at) => folder.write(`secret/${name}/${name}-essay.txt`, words(100, 60 + at) + " " + words(200, 50)));
    const file = folder.compare("unknown/", "secret", "--folders", "--anonymous", "key.tsv");
    const { page, done } = await open(browser, file);
    await choose(page, 1);
    assert.match(await page.textContent("#title"), /^Document \d and Document \d$/);
    const source = readFileSync(file, "utf8");
    for (const name of secret) assert.ok(!source.includes(name) && readFileSync(join(folder.path, "key.tsv"), "utf8").includes(name));
    assert.match(await page.textContent("#passages"), /file 1 ↔ file 1/);
    await done();
  });

  test("thousands of pairs open quickly, and the page says what it leaves out", async () => {
    const shared = words(200, 7);
    const lines = Array.from({ length: 64 }, (_, at) => JSON.stringify({ id: "essays/student-" + at, text: shared + " " + words(60 + 3 * at, 100 + at) }));
    folder.write("many.jsonl", lines.join("\n"));
    const file = folder.compare("many/", "many.jsonl", "--common", "100%");
    const start = Date.now();
    const { page, done } = await open(browser, file);
    await page.waitForSelector("#pairs tbody tr:nth-child(1000)");
    const opened = Date.now() - start;
    assert.ok(opened < 5000, `${opened} ms`);
    assert.equal((await cells(page, 0)).length, 1000);
    assert.match(await page.textContent("#cut"), /1,000 pairs with the highest R. pairs.csv and report.json contain all 2,016/);
    assert.match(await page.textContent("#summary"), /2,016 pairs/);
    const bars = await page.$$eval("#bars div", (bars) => bars.reduce((sum, bar) => sum + Number(bar.textContent.replace(",", "")), 0));
    assert.equal(bars, 2016);
    const sorting = Date.now();
    await page.locator("#pairs thead th button").nth(3).click();
    await choose(page, 900);
    assert.ok(Date.now() - sorting < 5000);
    await picture(page, "many");
    await done();
  });

  test("a page alone speaks of no other files", async () => {
    const { page, done } = await open(browser, folder.compare("alone.html", join(ROOT, "samples/essays")));
    await choose(page, 1);
    assert.doesNotMatch(await page.evaluate(() => document.body.innerText), /texts\.jsonl|report\.json|pairs\.csv/);
    await done();
  });
});

describe("looks", () => {
  test("a phone has room for it", async () => {
    const { page, done } = await open(browser, essays, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(await wide(), 0);
    await picture(page, "phone-table");
    await page.tap("#pairs tbody tr");
    assert.ok(await page.isVisible("#text-b"));
    assert.equal(await wide(), 0);
    await picture(page, "phone-pair");
    await picture(page, "phone-whole", { fullPage: true });
    await done();
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`texts stand out when it is ${colorScheme}`, async () => {
      const { page, done } = await open(browser, essays, { colorScheme });
      await choose(page, 1);
      const found = await contrast(page, ["h1", ".note", "#summary", "td", "th button", "mark", ".out", ".tag", "button:enabled", "#text-a", "h3", "small", "dd", "#bars div", "kbd"]);
      for (const [what, ratio] of Object.entries(found)) assert.ok(ratio >= 4.5, `${what}: ${ratio}`);
      await picture(page, colorScheme);
      await page.keyboard.press("Escape");
      await picture(page, colorScheme + "-table");
      await done();
    });
  }
});
