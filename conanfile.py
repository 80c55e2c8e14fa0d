from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.build import check_min_cppstd


class CueboxConan(ConanFile):
    name = "cuebox"
    version = "0.1.0"
    license = "BSL-1.0"
    description = "Coroutine actors that move events out of a Postgres outbox into handlers"
    topics = ("actors", "coroutines", "postgres", "outbox", "asio")
    package_type = "static-library"
    settings = "os", "compiler", "build_type", "arch"
    # Whether spans can be exported: the room core/otel.
    options = {"otel": [True, False]}
    default_options = {"otel": False}
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "core/*", "actors/*", "handlers/*", "migrations/*", "apps/*", "examples/*", "tests/*"

    def requirements(self):
        # Asio and PFR appear in Cuebox's own headers; taoJSON is linked but never included by them.
        self.requires("boost/1.88.0", transitive_headers=True, options={"header_only": True})
        self.requires("taocpp-json/1.0.0-beta.14")
        self.requires("libpq/15.5")
        self.requires("openssl/[>=3 <4]")
        # Header only, and in no header of Cuebox's own.
        self.requires("quill/[>=11]", visible=False)
        self.requires("cli11/2.4.2", visible=False)
        if self.options.otel:
            # Linked, but in no header of Cuebox's own.
            self.requires("opentelemetry-cpp/[>=1.17 <2]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25 <4]")
        self.test_requires("catch2/3.7.1")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CUEBOX_TESTS"] = not self.conf.get("tools.build:skip_test", default=False)
        toolchain.cache_variables["CUEBOX_OTEL"] = "ON" if self.options.otel else "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()
        if not self.conf.get("tools.build:skip_test", default=False):
            cmake.test()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # Cuebox brings its own cuebox-config.cmake with one target per room: cuebox::runtime and so on.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append("lib/cmake/cuebox")
